"""Evaluation with the paper's protocol: a base session, then one class per session, with sleep in between."""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from ._fearnet import run_protocol
from ._labels import as_names


@dataclass(frozen=True)
class SessionAccuracy:
    """Mean-class test accuracies in 0..1."""

    base: float  # on the base classes
    recent: float  # on the class taught last; 0 for the base session
    all: float  # on all classes taught so far


@dataclass(frozen=True)
class SessionResult:
    """What was measured after one session; session 0 is the base session."""

    session: int
    class_name: str  # the class taught; "" for the base session
    classes_seen: int  # classes taught so far
    slept: bool  # the learner slept before the evaluation
    accuracy: SessionAccuracy
    offline: SessionAccuracy  # of the offline model, choosing among the classes seen so far
    oracle: Optional[SessionAccuracy]  # with a perfect router; None for learners without a router
    memory_bytes: int  # that the learner keeps
    seconds: float  # wall-clock time of learning and sleeping in this session


@dataclass(frozen=True)
class StreamResult:
    """The result of evaluate_stream.

    Omega scores are means over the evaluated sessions after the base session. omega_base and omega_all are divided by
    offline_accuracy: 1 means as accurate as the offline model, an MLP that was trained on all classes at once. They
    are NaN if there is nothing to divide by.
    """

    omega_base: float  # accuracy on the base classes, relative to the offline model
    omega_new: float  # accuracy on the class taught last
    omega_all: float  # accuracy on all classes taught so far, relative to the offline model
    offline_accuracy: float  # of the offline model on the whole test set
    final_accuracy: float  # on all classes, after the last session
    sessions: List[SessionResult]  # the evaluated sessions
    learner: str
    seed: int
    base_classes: int
    sleep_every: int
    restricted: Dict[str, float]  # Omega relative to SessionResult.offline of each session
    oracle: Optional[Dict[str, float]]  # Omega with a perfect router; None for learners without a router
    memory: Dict[str, int] = field(default_factory=dict)  # what the learner keeps in the end, in bytes by kind
    seconds: Dict[str, float] = field(default_factory=dict)  # wall-clock time by phase
    options: Dict[str, str] = field(default_factory=dict)  # all options of the learner


def evaluate_stream(
    x_train,
    y_train,
    x_test,
    y_test,
    learner: str = "fearnet",
    preset: str = "",
    settings: Optional[Dict[str, Any]] = None,
    base_classes: Optional[int] = None,
    sleep_every: int = 10,
    evaluate_every: int = 1,
    seed: int = 1,
    unit_length: bool = True,
    progress: Optional[Callable[[str, int, int, float], Any]] = None,
) -> StreamResult:
    """Teaches a learner the classes of a data set one after another and evaluates it on the test rows.

    Parameters
    ----------
    x_train, y_train, x_test, y_test : arrays
        Rows of features and their labels. Both sets need rows of every class.
    learner, preset, settings
        As in FearNetClassifier; here the default learner is "fearnet".
    base_classes : int or None
        Number of classes of the base session, drawn at random; None: half of all classes.
    sleep_every : int
        Sleep after every `sleep_every`-th session; 0: never.
    evaluate_every : int
        Evaluate after the base session, every `evaluate_every`-th session and the last one.
    seed : int
        Of the class order and all random choices of the learner.
    unit_length : bool
        Scale rows to Euclidean length one.
    progress : callable or None
        progress(what, done, total, 0.0) is called repeatedly; `what` is a text, and done / total the estimated share
        of the time. If it returns False, fearnet.Cancelled is raised.

    Returns a StreamResult. Raises ValueError for labels that only the test rows have, and fearnet.Error, a ValueError,
    for other bad input.
    """
    y_train, y_test = np.asarray(y_train), np.asarray(y_test)
    values = np.unique(y_train)
    unknown = np.setdiff1d(y_test, values)
    if len(unknown) > 0:
        raise ValueError(f"the test rows have labels that the training rows have not, as {unknown[0]!r}")
    record = run_protocol(
        x_train,
        np.searchsorted(values, y_train),
        x_test,
        np.searchsorted(values, y_test),
        as_names(values),
        learner,
        preset,
        dict(settings or {}),
        base_classes or 0,
        sleep_every,
        evaluate_every,
        seed,
        unit_length,
        progress,
    )
    record["sessions"] = [_session(s) for s in record["sessions"]]
    return StreamResult(**record)


def _session(record):
    for name in ("accuracy", "offline", "oracle"):
        if record[name] is not None:
            record[name] = SessionAccuracy(**record[name])
    return SessionResult(**record)
