"""Rows and labels of a file or a built-in data set, as the program fearnet reads them."""

import os
from typing import List, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _fearnet


class Table(NamedTuple):
    """The rows of a file."""

    x: np.ndarray  # float32, one row per example
    labels: Optional[List[str]]  # one per row; None for a file without labels
    is_test: Optional[np.ndarray]  # True for test rows; None for data without a split
    label_source: str  # where the labels are: "column 'label'"; may be empty
    warnings: List[str]  # what is likely wrong with the data, one sentence each


def load_table(
    data: Union[str, "os.PathLike[str]"],
    split: Optional[str] = None,
    label_column: Union[str, int, None] = None,
    drop: Sequence[Union[str, int]] = (),
    max_bytes: int = 0,
) -> Table:
    """Read a .npz, .npy, .csv, .tsv or .txt file, a folder of IDX files, or a built-in data set by its name.

    `split` "train" or "test" reads only these rows of data that has a split. `label_column` and `drop` are columns
    of a CSV file, by name or by number from 1. A file that takes more than `max_bytes` is refused before it is
    unpacked; 0 is half of the machine's memory. Nothing is downloaded.
    """
    columns = [str(column) for column in drop]
    label = "" if label_column is None else str(label_column)
    return Table(**_fearnet.load_table(os.fspath(data), split or "", label, columns, max_bytes))
