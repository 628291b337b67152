"""Base classes and input checks of scikit-learn. _without_sklearn.py replaces them where it is not installed."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

try:
    from sklearn.utils.validation import validate_data  # 1.6 and later
except ImportError:

    def validate_data(estimator, *args, **options):
        return estimator._validate_data(*args, **options)


__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "TransformerMixin",
    "check_is_fitted",
    "checked_rows",
    "checked_examples",
    "seed_of",
]


def checked_rows(estimator, x):
    """Returns x as float32 in C order, without a copy if it is that already. Checks the number of features."""
    return validate_data(estimator, x, reset=False, dtype=np.float32, order="C")


def checked_examples(estimator, x, y, first):
    """Checks and converts the rows and labels of a session. `first`: the estimator has not been taught yet."""
    x, y = validate_data(estimator, x, y, reset=first, dtype=np.float32, order="C")
    check_classification_targets(y)
    return x, y


def seed_of(random_state):
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
