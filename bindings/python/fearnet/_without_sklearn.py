"""Replaces the parts of scikit-learn that the estimator needs, where scikit-learn is not installed."""

import inspect

import numpy as np

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "TransformerMixin",
    "check_is_fitted",
    "checked_rows",
    "checked_examples",
    "seed_of",
]


class BaseEstimator:
    def _parameter_names(self):
        return [name for name in inspect.signature(type(self).__init__).parameters if name != "self"]

    def get_params(self, deep=True):
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params):
        for name, value in params.items():
            if name not in self._parameter_names():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}")
            setattr(self, name, value)
        return self

    def __repr__(self):
        params = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({params})"


class ClassifierMixin:
    _estimator_type = "classifier"

    def score(self, X, y, sample_weight=None):
        """Returns the accuracy on the given rows and labels."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))


class TransformerMixin:
    def fit_transform(self, X, y=None, **fit_params):
        return self.fit(X, y, **fit_params).transform(X)


def check_is_fitted(estimator):
    if not estimator.__sklearn_is_fitted__():
        raise ValueError(f"This {type(estimator).__name__} instance is not fitted yet; call fit or partial_fit first")


def _rows(x):
    x = np.ascontiguousarray(x, dtype=np.float32)
    if x.ndim != 2:
        raise ValueError(f"Expected 2D array, got {x.ndim}D array instead. Reshape your data")
    return x


def checked_rows(estimator, x):
    x = _rows(x)
    if x.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {x.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    return x


def checked_examples(estimator, x, y, first):
    x, y = _rows(x), np.asarray(y)
    if y.ndim != 1 or len(y) != len(x):
        raise ValueError(f"{len(x)} rows need as many labels in one dimension, not an array of shape {y.shape}")
    if y.dtype.kind == "f" and np.any(y != np.floor(y)):
        raise ValueError("Unknown label type: continuous")
    if first:
        estimator.n_features_in_ = x.shape[1]
    return checked_rows(estimator, x), y


def seed_of(random_state):
    if random_state is None:
        return int(np.random.randint(2**31 - 1))
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(random_state.randint(2**31 - 1))
