"""FearNet: class-incremental learning. Classifiers learn new classes without forgetting the old ones.

FearNetClassifier   a scikit-learn estimator (scikit-learn itself is optional)
Embedder            photographs, sounds and texts as rows, a scikit-learn transformer
Brain               a classifier in a file, which survives crashes
Client              a brain on a server (`fearnet serve`)
evaluate_stream     evaluation with the paper's protocol: accuracies and Omega scores
load_table          reads a data file or a built-in data set
find_frames         the number of frames in a row, for the option features.frames
Learner             any learner of the library, with classes as whole numbers
"""

from ._fearnet import (
    Brain,
    Cancelled,
    Error,
    Learner,
    __version__,
    check_brain,
    find_frames,
    learner_names,
    learner_options,
    max_threads,
    preset_names,
    set_threads,
)
from ._http import ServerError
from .classifier import FearNetClassifier, settings_for_width
from .client import Client
from .embedder import EmbeddedItems, Embedder
from .stream import SessionAccuracy, SessionResult, StreamResult, evaluate_stream
from .table import Table, load_table

__all__ = [
    "Brain",
    "Cancelled",
    "Client",
    "EmbeddedItems",
    "Embedder",
    "Error",
    "FearNetClassifier",
    "Learner",
    "ServerError",
    "SessionAccuracy",
    "SessionResult",
    "StreamResult",
    "Table",
    "__version__",
    "check_brain",
    "evaluate_stream",
    "find_frames",
    "learner_names",
    "learner_options",
    "load_table",
    "max_threads",
    "preset_names",
    "set_threads",
    "settings_for_width",
]
