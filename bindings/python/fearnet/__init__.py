"""FearNet: a classifier that is taught class after class and keeps what it was taught.

FearNetClassifier   a scikit-learn estimator (scikit-learn itself is optional)
Brain               a classifier in a file that survives crashes
evaluate_stream     the paper's protocol and its Omega scores
load_table          rows and labels of a file or a built-in data set
Learner             any learner of the library, with classes as whole numbers
"""

from ._fearnet import (
    Brain,
    Cancelled,
    Error,
    Learner,
    __version__,
    check_brain,
    learner_names,
    learner_options,
    max_threads,
    preset_names,
    set_threads,
)
from .classifier import FearNetClassifier, settings_for_width
from .stream import SessionAccuracy, SessionResult, StreamResult, evaluate_stream
from .table import Table, load_table

__all__ = [
    "Brain",
    "Cancelled",
    "Error",
    "FearNetClassifier",
    "Learner",
    "SessionAccuracy",
    "SessionResult",
    "StreamResult",
    "Table",
    "__version__",
    "check_brain",
    "evaluate_stream",
    "learner_names",
    "learner_options",
    "load_table",
    "max_threads",
    "preset_names",
    "set_threads",
    "settings_for_width",
]
