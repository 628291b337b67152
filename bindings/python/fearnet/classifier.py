"""FearNetClassifier: class-incremental learning as a scikit-learn estimator."""

import contextlib
import os

import numpy as np

from ._fearnet import (
    Brain,
    Learner,
    learner_options,
    max_threads,
    set_threads,
    settings_with_frames,
    unit_length_rows,
)
from ._labels import Labels, as_names, from_names

try:
    from ._with_sklearn import BaseEstimator, ClassifierMixin, check_is_fitted, checked_examples, checked_rows, seed_of
except ImportError:
    from ._without_sklearn import (
        BaseEstimator,
        ClassifierMixin,
        check_is_fitted,
        checked_examples,
        checked_rows,
        seed_of,
    )

ONE_BY_ONE = 64
NESTED = "settings__"


def _answers(rows, ask):
    """Calls ask on all rows at once or, for up to ONE_BY_ONE rows, on each row.

    The last digits of a float32 matrix product depend on the number of rows and the position of a row. Row by row, an
    answer does not depend on the other rows of the call.
    """
    if 0 < len(rows) <= ONE_BY_ONE:
        return np.concatenate([ask(rows[i : i + 1]) for i in range(len(rows))])
    return ask(rows)


def _repeated(x, y, sample_weight):
    """Repeats every row as many times as its weight."""
    if sample_weight is None:
        return x, y
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != y.shape:
        raise ValueError(f"sample_weight has shape {weight.shape}, but {len(y)} rows need {y.shape}")
    wrong = np.flatnonzero(~((weight >= 0) & (weight == np.floor(weight)) & np.isfinite(weight)))
    if len(wrong) > 0:
        raise ValueError(
            f"sample_weight[{wrong[0]}] is {weight[wrong[0]]}; weights are counts, whole numbers from 0: a weight of 3 "
            "teaches the row three times. Multiply and round weights that are not"
        )
    if not weight.any():
        raise ValueError(f"all {len(y)} numbers of sample_weight are 0; at least one row must be taught")
    chosen = np.repeat(np.arange(len(y)), weight.astype(np.int64))
    return x[chosen], y[chosen]


@contextlib.contextmanager
def _threads(n_jobs):
    """Sets the number of threads for the block inside and restores it afterwards."""
    if n_jobs is None:
        yield
        return
    threads = n_jobs if n_jobs > 0 else (os.cpu_count() or 1) + 1 + n_jobs
    if n_jobs == 0 or threads < 1:
        raise ValueError(f"n_jobs is {n_jobs}; give a number of threads, or -1 for all {os.cpu_count()} processors")
    before = max_threads()
    set_threads(threads)
    try:
        yield
    finally:
        set_threads(before)


def settings_for_width(width):
    """Settings of the learner "fearnet" for rows of `width` features; its defaults are for about 2,000.

    Layers have at most max(32, 4 * width) units. The weight of the input's reconstruction loss is at most 5 * width:
    the squared features of a row of length one are 1 / width on average, so the weight must shrink with the width.

    Returns a dict with "network.hidden" and "network.reconstruction", for the parameter `settings`.
    """
    usual = {o["name"]: o["value"].split(",") for o in learner_options("fearnet")}
    hidden = [min(int(units), max(32, 4 * width)) for units in usual["network.hidden"]]
    first, *others = (float(weight) for weight in usual["network.reconstruction"])
    return {"network.hidden": hidden, "network.reconstruction": [min(first, 5.0 * width), *others]}


class FearNetClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that learns new classes without forgetting the old ones.

    `fit` teaches all rows at once. `partial_fit` teaches one session after another: the first call teaches the base
    classes, later calls bring new classes, which need not be declared before, or more rows of known classes. New
    examples are stored until `sleep` consolidates and deletes them.

    If a call raises, even KeyboardInterrupt, the estimator is unchanged. Calls for up to 64 rows predict row by row. In
    larger batches, the last digits of a probability depend on the batch.

    Parameters
    ----------
    learner : str, default="fearnet-plus"
        One of `fearnet.learner_names()`.
    preset : str, default=None
        Settings for data like the paper's: one of `fearnet.preset_names()`, or several separated by commas.
    settings : dict, default=None
        Options of the learner by name, as in {"memory.budget": 8000000}; `fearnet.learner_options(learner)` lists
        them. For the learner "fearnet" without a preset, `fearnet.settings_for_width` replaces two defaults that are
        meant for about 2,000 features. If "features.frames" is not set, the first session sets it to
        `fearnet.find_frames` of its rows. `set_params` and searches also accept single options, as
        settings__sleep__epochs or "settings__sleep.epochs".
    sleep_every : int, default=10
        `partial_fit` sleeps after this many sessions since the last sleep. 0: sleep only when `sleep` is called.
    standardize : bool, default=False
        Scale every feature to mean 0 and standard deviation 1, as measured on the rows of the first session. Use it for
        features of different kinds (lengths, prices, counts); the features of a neural network do not need it. Such an
        estimator can be pickled, but not saved as a brain file.
    unit_length : bool, default=True
        Scale every row to Euclidean length one, after standardizing. If False, standardized rows are divided by the
        square root of the number of features, which gives them a length of about one.
    random_state : int, RandomState or None, default=1
        Seed. The same number, with the same number of threads, gives the same classifier.
    n_jobs : int or None, default=None
        Number of threads for teaching and predicting; -1: one per processor; None: `fearnet.max_threads()`. It changes
        probabilities by rounding only.

    Attributes
    ----------
    classes_ : array
        The labels taught so far, ascending, in the type in which they were given.
    class_count_ : array
        Number of examples taught so far, by classes_.
    n_features_in_ : int
        Features per row.
    sessions_since_sleep_ : int
        Sessions since the last sleep, not counting the first session.

    Examples
    --------
    >>> classifier = fearnet.FearNetClassifier(sleep_every=3)
    >>> classifier.partial_fit(x_base, y_base)
    >>> classifier.partial_fit(x_owl, ["owl"] * len(x_owl))
    >>> classifier.predict(x)
    """

    def __init__(
        self,
        learner="fearnet-plus",
        preset=None,
        settings=None,
        sleep_every=10,
        standardize=False,
        unit_length=True,
        random_state=1,
        n_jobs=None,
    ):
        self.learner = learner
        self.preset = preset
        self.settings = settings
        self.sleep_every = sleep_every
        self.standardize = standardize
        self.unit_length = unit_length
        self.random_state = random_state
        self.n_jobs = n_jobs

    # -- parameters

    def get_params(self, deep=True):
        """Returns the parameters by name. With `deep`, also each of the settings, as "settings__" plus its name."""
        params = super().get_params(deep=deep)
        if deep and isinstance(self.settings, dict):
            params.update({NESTED + name: value for name, value in self.settings.items()})
        return params

    def set_params(self, **params):
        """Sets parameters, and single settings as "settings__" plus their name, with "." or "__". Returns self."""
        nested = {name[len(NESTED) :]: value for name, value in params.items() if name.startswith(NESTED)}
        super().set_params(**{name: value for name, value in params.items() if not name.startswith(NESTED)})
        if nested:
            single = {name.replace("__", "."): value for name, value in nested.items()}
            self.settings = {**(self.settings or {}), **single}
        return self

    def _more_tags(self):
        reason = "teaching depends on the order of the rows, and the check shuffles them"
        return {"_xfail_checks": {"check_sample_weights_invariance": reason}}

    # -- teaching

    def fit(self, X, y, sample_weight=None):
        """Discards what was learned before and teaches all rows as one session. Returns self.

        `sample_weight` contains counts: a row of weight 3 is taught three times, a row of weight 0 is left out. Raises
        ValueError for weights that are not whole numbers.
        """
        with self._unchanged_if_it_raises(), _threads(self.n_jobs):
            self._teach(X, y, sample_weight, first=True)
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Teaches one more session, then sleeps if `sleep_every` says so. Returns self.

        `classes` is optional, for compatibility with scikit-learn: labels that are not in it raise ValueError; it has
        no other effect. `sample_weight` is as in `fit`.
        """
        if classes is not None and not np.isin(y, classes).all():
            raise ValueError("y has labels that are not in classes")
        with self._unchanged_if_it_raises(), _threads(self.n_jobs):
            self._teach(X, y, sample_weight, first=not self.__sklearn_is_fitted__())
        return self

    def sleep(self, epochs=0, seconds=0.0, progress=None):
        """Consolidates what was taught since the last sleep and deletes its examples. Returns self.

        `epochs` and `seconds` limit the work of the learner "fearnet"; 0: as its settings say.
        `progress(phase, done, total, loss)` is called at least once per epoch; if it returns False, `sleep` raises
        fearnet.Cancelled.
        """
        check_is_fitted(self)
        with self._unchanged_if_it_raises(), _threads(self.n_jobs):
            learner = self._learner.copy()
            learner.sleep(epochs, seconds, progress)
            self._learner = learner
            self.sessions_since_sleep_ = 0
        return self

    def forget(self, label):
        """Removes a class: its rows, statistics and output. Returns self.

        Trained networks keep traces of the class. Raises ValueError if it was not taught, and fearnet.Error if it is
        the only class or the learner cannot forget ("fearnet" and "fearnet-plus" can).
        """
        check_is_fitted(self)
        with self._unchanged_if_it_raises(), _threads(self.n_jobs):
            learner = self._learner.copy()
            learner.forget(self._labels.id_of(label))
            self._learner = learner
            self._set_labels(self._labels.without(label))
        return self

    # -- asking

    def predict(self, X):
        """Returns the predicted label of each row."""
        rows = self._prepared(X)
        with _threads(self.n_jobs):
            return self._labels.values_of(_answers(rows, self._learner.predict))

    def predict_proba(self, X):
        """Returns an array of shape (rows, len(classes_)): the probability of each class."""
        rows = self._prepared(X)
        with _threads(self.n_jobs):
            by_id = _answers(rows, self._learner.probabilities).astype(np.float64)
        by_class = by_id[:, np.searchsorted(self._learner.classes(), self._labels.ids)]
        return by_class / by_class.sum(axis=1, keepdims=True)

    def decision_function(self, X):
        """Returns the logarithms of predict_proba; with two classes, the log-odds of the second, one per row."""
        logs = np.log(np.maximum(self.predict_proba(X), np.finfo(np.float32).tiny))
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def familiarity(self, X):
        """Returns how familiar each row looks, 0 to 1; None if the learner does not estimate it.

        The familiarity is the share of taught rows that look as strange as this row or stranger, each judged as if it
        had not been taught. A row of a taught class is below p with a probability of about p. Rows of other classes
        mostly have a small familiarity, so familiarity(X) < 0.01 finds rows that no label fits.
        """
        rows = self._prepared(X)
        with _threads(self.n_jobs):
            values = _answers(rows, self._learner.familiarity)
        return values if len(values) == len(rows) else None

    def explain(self, X):
        """Returns which memory predicted each row, and why; None unless the learner has two memories ("fearnet").

        The result is a dict of arrays with one entry per row:

        label : the prediction
        memory : the memory that made it, "recent" or "consolidated"
        recent_label, recent_probability : best class of the recent memory alone
        consolidated_label, consolidated_probability : best class of the long-term memory alone
        router : A(x), the router's probability that the class is a recent one
        psi : recent_probability * A(x) / (1 - A(x)); the recent memory decides if it exceeds consolidated_probability

        For an empty memory the label is the prediction and the probability 0.
        """
        rows = self._prepared(X)
        with _threads(self.n_jobs):
            told = self._learner.explain(rows)
        if told is None:
            return None
        told["memory"] = np.where(told.pop("recent"), "recent", "consolidated")
        answer = told["label"]
        for memory in ("recent", "consolidated"):
            ids = np.where(told[f"{memory}_probability"] > 0, told[f"{memory}_label"], answer)
            told[f"{memory}_label"] = self._labels.values_of(ids)
        told["label"] = self._labels.values_of(answer)
        return told

    # -- keeping

    def save(self, path, overwrite=False):
        """Writes a brain file, which `load`, fearnet.Brain and the command `fearnet` read.

        Raises fearnet.Error if the file exists. With `overwrite=True`, the contents of an existing brain file are
        replaced in one transaction; a file that is not a brain raises fearnet.Error. Raises ValueError if
        `standardize` is set.
        """
        check_is_fitted(self)
        if self.standardize:
            raise ValueError(
                "a brain file has no place for means and deviations; pickle this estimator, or put a StandardScaler "
                "before one with standardize=False"
            )
        labels = self._labels
        order = np.argsort(labels.ids)
        settings = {"brain.unit_length": bool(self.unit_length), "due.sessions": int(self.sleep_every or 0)}
        Brain.adopt(
            os.fspath(path),
            self._learner,
            as_names(labels.values[order]),
            labels.counts[order].tolist(),
            settings,
            self.sessions_since_sleep_,
            overwrite,
        ).close()

    @classmethod
    def load(cls, path, dtype=None):
        """Returns a copy of the classifier in a brain file. The file is never written to.

        A brain file stores labels as text. They become integers if all of them are whole numbers; `dtype` sets another
        type. Raises ValueError if nothing has been taught, and for a brain with merged classes.
        """
        with Brain.open(os.fspath(path), read_only=True) as brain:
            info, learner, names = brain.info(), brain.learner(), brain.names_of_classes()
        if learner.width == 0:
            raise ValueError(f"{path}: nothing has been taught yet")
        if len(set(names)) < len(names):
            raise ValueError(f"{path}: it has merged classes; use fearnet.Brain")
        options = info["options"]
        result = cls(
            learner=info["learner"],
            settings=learner.options(),
            sleep_every=int(options["due.sessions"]),
            unit_length=options["brain.unit_length"] == "true",
        )
        examples = {c["name"]: c["examples"] for c in info["classes"]}
        values, counts = from_names(names, dtype), np.array([examples[name] for name in names], np.int64)
        order = np.argsort(values)
        result._learner = learner
        result._scaling = None
        result._set_labels(Labels(values[order], learner.classes()[order], counts[order]))
        result.n_features_in_ = learner.width
        result.sessions_since_sleep_ = info["sessions_since_sleep"]
        return result

    def __sklearn_is_fitted__(self):
        return hasattr(self, "classes_")

    # -- inside

    def _teach(self, X, y, sample_weight, first):
        x, y = _repeated(*checked_examples(self, X, y, first), sample_weight)
        labels = (Labels.none() if first else self._labels).with_examples(y)
        scaling = self._new_scaling(x) if first else self._scaling
        sessions = 0 if first else self.sessions_since_sleep_ + 1
        due = bool(self.sleep_every) and sessions >= self.sleep_every
        # Teach a copy: Ctrl-C may arrive after the learner has learned and before the labels are stored.
        rows = self._scaled(x, scaling)
        learner = self._new_learner(rows) if first else self._learner.copy()
        learner.learn(rows, labels.ids_of(y))
        if due:
            learner.sleep()
            sessions = 0
        self._learner = learner
        self._scaling = scaling
        self._set_labels(labels)
        self.sessions_since_sleep_ = sessions

    def _new_learner(self, base_rows):
        preset = self.preset or ""
        fitting = settings_for_width(base_rows.shape[1]) if self.learner == "fearnet" and not preset else {}
        settings = settings_with_frames(self.learner, preset, {**fitting, **(self.settings or {})}, base_rows)
        return Learner(self.learner, preset, settings, seed_of(self.random_state))

    def _new_scaling(self, x):
        if not self.standardize:
            return None
        mean, deviation = x.mean(axis=0, dtype=np.float64), x.std(axis=0, dtype=np.float64)
        return mean, np.where(deviation > 0, deviation, 1) * np.sqrt(x.shape[1])

    def _scaled(self, x, scaling):
        if scaling is not None:
            x = ((x - scaling[0]) / scaling[1]).astype(np.float32)
        return unit_length_rows(x) if self.unit_length else x

    def _set_labels(self, labels):
        self._labels = labels
        self.classes_ = labels.values
        self.class_count_ = labels.counts

    def _prepared(self, X):
        check_is_fitted(self)
        return self._scaled(checked_rows(self, X), self._scaling)

    @contextlib.contextmanager
    def _unchanged_if_it_raises(self):
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise
