"""The paper's protocol: base knowledge, then one class per session, with sleep in between."""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from ._fearnet import run_protocol
from ._labels import as_names


@dataclass(frozen=True)
class SessionAccuracy:
    """Mean-class accuracies in 0..1."""

    base: float  # of the base-knowledge classes
    recent: float  # of the class taught last; 0 for the base session
    all: float  # of every class taught so far


@dataclass(frozen=True)
class SessionResult:
    """What was measured after one session; session 0 is the base knowledge."""

    session: int
    class_name: str  # "" for the base session
    classes_seen: int
    slept: bool
    accuracy: SessionAccuracy
    offline: SessionAccuracy  # the offline model restricted to the classes seen so far
    oracle: Optional[SessionAccuracy]  # with a perfect router, for learners that have one
    memory_bytes: int
    seconds: float


@dataclass(frozen=True)
class StreamResult:
    """One run. The Omega scores are the paper's: accuracies over the sessions against the offline model's."""

    omega_base: float
    omega_new: float
    omega_all: float
    offline_accuracy: float
    final_accuracy: float
    sessions: List[SessionResult]
    learner: str
    seed: int
    base_classes: int
    sleep_every: int
    restricted: Dict[str, float]  # Omega against the offline model restricted to the classes seen so far
    oracle: Optional[Dict[str, float]]  # Omega with a perfect router
    memory: Dict[str, int] = field(default_factory=dict)  # bytes by kind, at the end
    seconds: Dict[str, float] = field(default_factory=dict)  # by phase
    options: Dict[str, str] = field(default_factory=dict)


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
    """Teaches the classes of a data set one after another and tests after every session.

    Rows are scaled to length one unless `unit_length` is False. `base_classes` classes (None: half of them), drawn
    by `seed`, are the base knowledge; sleep follows every `sleep_every`-th session (0: never). Both sets need rows of
    every class. `progress(what, done, total, 0.0)` is called now and then; returning False raises Cancelled.
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
