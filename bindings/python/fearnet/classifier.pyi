from typing import Any, Dict, Optional, Type, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._fearnet import Path, Progress

Self = TypeVar("Self", bound="FearNetClassifier")

def settings_for_width(width: int) -> Dict[str, Any]: ...

class FearNetClassifier:
    learner: str
    preset: Optional[str]
    settings: Optional[Dict[str, Any]]
    sleep_every: int
    standardize: bool
    unit_length: bool
    random_state: Any
    n_jobs: Optional[int]
    classes_: NDArray[Any]
    class_count_: NDArray[np.int64]
    n_features_in_: int
    sessions_since_sleep_: int

    def __init__(
        self,
        learner: str = "fearnet-plus",
        preset: Optional[str] = None,
        settings: Optional[Dict[str, Any]] = None,
        sleep_every: int = 10,
        standardize: bool = False,
        unit_length: bool = True,
        random_state: Any = 1,
        n_jobs: Optional[int] = None,
    ) -> None: ...
    def fit(self: Self, X: ArrayLike, y: ArrayLike, sample_weight: Optional[ArrayLike] = None) -> Self: ...
    def partial_fit(
        self: Self,
        X: ArrayLike,
        y: ArrayLike,
        classes: Optional[ArrayLike] = None,
        sample_weight: Optional[ArrayLike] = None,
    ) -> Self: ...
    def sleep(self: Self, epochs: int = 0, seconds: float = 0.0, progress: Progress = None) -> Self: ...
    def forget(self: Self, label: Any) -> Self: ...
    def predict(self, X: ArrayLike) -> NDArray[Any]: ...
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]: ...
    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]: ...
    def familiarity(self, X: ArrayLike) -> Optional[NDArray[np.float64]]: ...
    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: Optional[ArrayLike] = None) -> float: ...
    def explain(self, X: ArrayLike) -> Optional[Dict[str, NDArray[Any]]]: ...
    def save(self, path: Path, overwrite: bool = False) -> None: ...
    @classmethod
    def load(cls: Type[Self], path: Path, dtype: Optional[DTypeLike] = None) -> Self: ...
    def get_params(self, deep: bool = True) -> Dict[str, Any]: ...
    def set_params(self: Self, **params: Any) -> Self: ...
