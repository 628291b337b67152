"""FearNet as a scikit-learn estimator."""

import contextlib
import os

import numpy as np

from ._fearnet import Brain, Learner, learner_options, max_threads, set_threads, unit_length_rows
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
    """ask(rows), but a few rows one by one.

    Matrix products over many rows round differently from one place to another, in the last digits of a float32. What a
    few rows are answered does not depend on which others are asked about with them.
    """
    if 0 < len(rows) <= ONE_BY_ONE:
        return np.concatenate([ask(rows[i : i + 1]) for i in range(len(rows))])
    return ask(rows)


def _repeated(x, y, sample_weight):
    """Every row as often as its weight says."""
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
    """The work inside runs on this many threads; afterwards as many as before."""
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
    """FearNet's settings for rows of `width` features, where the defaults are for some 2,000.

    Layers have no more than max(32, 4 * width) units. The weight of reconstructing the input is no more than
    5 * width: a row of length one has squares of 1 / width, so that the loss keeps its share.
    """
    usual = {o["name"]: o["value"].split(",") for o in learner_options("fearnet")}
    hidden = [min(int(units), max(32, 4 * width)) for units in usual["network.hidden"]]
    first, *others = (float(weight) for weight in usual["network.reconstruction"])
    return {"network.hidden": hidden, "network.reconstruction": [min(first, 5.0 * width), *others]}


class FearNetClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that is taught class after class and keeps what it was taught.

    `fit` teaches everything at once. `partial_fit` teaches one study session after another: the first call is the
    base knowledge, later ones bring new classes (or more of known ones) that need not be declared before. New
    examples are kept until `sleep` consolidates and deletes them.

    A call that raises, KeyboardInterrupt included, leaves the estimator as it was. Up to 64 rows are answered one by
    one; in larger batches the last digits of a probability depend on the batch.

    Parameters
    ----------
    learner : str, default="fearnet-plus"
        Any of `fearnet.learner_names()`.
    preset : str, default=None
        Values for a kind of data: any of `fearnet.preset_names()`, several separated by commas.
    settings : dict, default=None
        Options by name, as in {"memory.budget": 8000000}; `fearnet.learner_options(learner)` lists them. The defaults
        of the learner "fearnet" are for some 2,000 features; without a preset, `fearnet.settings_for_width` makes two
        of them fit fewer.
        `set_params` and searches also take single options, as settings__sleep__epochs or "settings__sleep.epochs".
    sleep_every : int, default=10
        Sleep after this many sessions since the last sleep; 0: only when `sleep` is called.
    standardize : bool, default=False
        Bring every feature to mean 0 and deviation 1 over the first session's rows, and keep that. For features of
        different kinds; unneeded for those of a network.
    unit_length : bool, default=True
        Scale every row to length one (after standardizing). Without, standardized rows are divided by the root of
        their number of features, which gives them a length of about one.
    random_state : int, RandomState or None, default=1
        The same number gives the same classifier.
    n_jobs : int or None, default=None
        Threads for teaching and asking; -1: one per processor. None: as many as `fearnet.max_threads()` says. The
        answers are the same for any number.

    Attributes
    ----------
    classes_ : array
        The labels taught so far, ascending, in the type they came in.
    class_count_ : array
        Examples taught so far, by classes_.
    n_features_in_ : int
        Features per row.
    sessions_since_sleep_ : int
        Study sessions whose examples are in the recent memory.
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
        """The parameters by name; `deep`: each of the settings too, as "settings__" and its name."""
        params = super().get_params(deep=deep)
        if deep and isinstance(self.settings, dict):
            params.update({NESTED + name: value for name, value in self.settings.items()})
        return params

    def set_params(self, **params):
        """Sets parameters, and single settings by "settings__" and their name with "." or "__". Returns self."""
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
        """Forgets everything and teaches all rows as one session. Returns self.

        `sample_weight` are counts: a row of weight 3 is taught three times, one of weight 0 not at all. Weights that
        are not whole numbers raise ValueError.
        """
        with self._unchanged_if_it_raises(), _threads(self.n_jobs):
            self._teach(X, y, sample_weight, first=True)
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Teaches one more session; sleeps afterwards when that is due. Returns self.

        `classes` is there because others have it: labels outside it are refused, nothing else. `sample_weight` as in
        `fit`.
        """
        if classes is not None and not np.isin(y, classes).all():
            raise ValueError("y has labels that are not in classes")
        with self._unchanged_if_it_raises(), _threads(self.n_jobs):
            self._teach(X, y, sample_weight, first=not self.__sklearn_is_fitted__())
        return self

    def sleep(self, epochs=0, seconds=0.0, progress=None):
        """Consolidates what was taught since the last sleep and deletes those examples. Returns self.

        `epochs` and `seconds` bound the work; 0 leaves it to the settings. `progress(phase, done, total, loss)` is
        called now and then and cancels by returning False.
        """
        check_is_fitted(self)
        with self._unchanged_if_it_raises(), _threads(self.n_jobs):
            learner = self._learner.copy()
            learner.sleep(epochs, seconds, progress)
            self._learner = learner
            self.sessions_since_sleep_ = 0
        return self

    def forget(self, label):
        """Removes a class as far as the learner can. Returns self."""
        check_is_fitted(self)
        with self._unchanged_if_it_raises(), _threads(self.n_jobs):
            learner = self._learner.copy()
            learner.forget(self._labels.id_of(label))
            self._learner = learner
            self._set_labels(self._labels.without(label))
        return self

    # -- asking

    def predict(self, X):
        """One label per row."""
        rows = self._prepared(X)
        with _threads(self.n_jobs):
            return self._labels.values_of(_answers(rows, self._learner.predict))

    def predict_proba(self, X):
        """Rows by classes_: how likely each class is."""
        rows = self._prepared(X)
        with _threads(self.n_jobs):
            by_id = _answers(rows, self._learner.probabilities).astype(np.float64)
        by_class = by_id[:, np.searchsorted(self._learner.classes(), self._labels.ids)]
        return by_class / by_class.sum(axis=1, keepdims=True)

    def decision_function(self, X):
        """Logarithms of predict_proba, rows by classes_; of two classes the log-odds of the second, one per row."""
        logs = np.log(np.maximum(self.predict_proba(X), np.finfo(np.float32).tiny))
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def explain(self, X):
        """Where each answer came from, as a dict of arrays; None unless the learner has two memories ("fearnet").

        label, memory ("recent" or "consolidated"), recent_label and consolidated_label with their probabilities
        (each memory asked alone; 0 and the answer's label for one that is empty), router (how likely the memory is a
        recent one), psi (what decided).
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
        """Writes a brain file, for `load`, fearnet.Brain and the program fearnet.

        A file that exists raises fearnet.Error. With `overwrite=True` this classifier takes the place of what is in the
        file, in one step that a crash cannot split; a file that is not a brain still raises.
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
        """The classifier in a brain file, on its own from then on: the file is not written to.

        A file knows labels as texts. They come back as numbers if all are whole numbers; `dtype` says otherwise.
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
        # On a copy: a Ctrl-C may come after the learner has learned and before the labels are kept.
        learner = self._new_learner(x.shape[1]) if first else self._learner.copy()
        learner.learn(self._scaled(x, scaling), labels.ids_of(y))
        if due:
            learner.sleep()
            sessions = 0
        self._learner = learner
        self._scaling = scaling
        self._set_labels(labels)
        self.sessions_since_sleep_ = sessions

    def _new_learner(self, width):
        preset = self.preset or ""
        fitting = settings_for_width(width) if self.learner == "fearnet" and not preset else {}
        return Learner(self.learner, preset, {**fitting, **(self.settings or {})}, seed_of(self.random_state))

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
