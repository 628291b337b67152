"""Embedder: photographs, sounds and texts as rows, as a scikit-learn transformer."""

import os
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._fearnet import Error, _Embedder

try:
    from ._with_sklearn import BaseEstimator, TransformerMixin
except ImportError:
    from ._without_sklearn import BaseEstimator, TransformerMixin


class EmbeddedItems(NamedTuple):
    """The result of Embedder.embed."""

    rows: np.ndarray  # float32, one row per item that could be read
    of_item: np.ndarray  # the number of the item of each row
    skipped: List[Tuple[str, str]]  # the name and the reason of each other item


class Embedder(TransformerMixin, BaseEstimator):
    """Turns photographs, sounds and texts into rows of features with an embedding network.

    Photographs and sounds are given as paths of files, texts as str. The model and ONNX Runtime must be on this machine:
    `fearnet models fetch image` gets them. Pickles and clones hold only the name of the model.

        make_pipeline(fearnet.Embedder("image"), fearnet.FearNetClassifier()).fit(paths, labels)

    Parameters
    ----------
    model : str
        "image", "sound" or "text" for the default model of that kind, or a name that `fearnet models` lists.
    """

    def __init__(self, model: str = "image"):
        self.model = model

    def fit(self, X: Any = None, y: Any = None) -> "Embedder":
        """Loads the model. The items are not looked at."""
        self._loaded()
        return self

    def transform(self, X: Sequence[Union[str, "os.PathLike[str]"]]) -> np.ndarray:
        """Returns one row per item. Raises fearnet.Error if one of them cannot be read; embed leaves it out instead."""
        made = self.embed(X)
        if made.skipped:
            name, reason = made.skipped[0]
            raise Error(f"Embedder.transform: {len(made.skipped)} of {len(X)} items cannot be read; {name}: {reason}")
        return made.rows

    def embed(
        self,
        items: Sequence[Union[str, "os.PathLike[str]"]],
        progress: Optional[Callable[[str, int, int, float], Optional[bool]]] = None,
    ) -> EmbeddedItems:
        """Embeds all items that can be read. progress(phase, done, total, loss) raises Cancelled by returning False."""
        if isinstance(items, (str, os.PathLike)):
            raise Error("Embedder.embed: items is a single path or text; give a list of them")
        rows, of_item, skipped = self._loaded().embed([os.fspath(item) for item in items], progress)
        return EmbeddedItems(rows, np.asarray(of_item, dtype=np.int64), skipped)

    @property
    def kind(self) -> str:
        """What the model embeds: "image", "sound" or "text"."""
        return self._loaded().kind

    @property
    def width(self) -> int:
        """Features per row."""
        return self._loaded().width

    @property
    def front_end(self) -> Dict[str, Any]:
        """The model as a brain records it, for Brain.learn."""
        loaded = self._loaded()
        return {"name": loaded.name, "fingerprint": loaded.fingerprint, "width": loaded.width}

    def _loaded(self) -> _Embedder:
        if getattr(self, "_model", None) != self.model:
            self._embedder, self._model = _Embedder(self.model), self.model
        return self._embedder

    def __getstate__(self) -> Dict[str, Any]:
        return {"model": self.model}

    def __sklearn_is_fitted__(self) -> bool:
        return True
