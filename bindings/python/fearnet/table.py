"""Reading data files and built-in data sets, as the command `fearnet` does."""

import os
from typing import List, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _fearnet


class Table(NamedTuple):
    """The result of load_table."""

    x: np.ndarray  # float32, rows x features
    labels: Optional[List[str]]  # class name of each row; None for unlabeled data
    is_test: Optional[np.ndarray]  # True for test rows; None for data without a split
    label_source: str  # where the labels were found: "column 'label'"; may be empty
    warnings: List[str]  # what is probably wrong with the data, one sentence each


def load_table(
    data: Union[str, "os.PathLike[str]"],
    split: Optional[str] = None,
    label_column: Union[str, int, None] = None,
    drop: Sequence[Union[str, int]] = (),
    max_bytes: int = 0,
) -> Table:
    """Reads a .npz, .npy, .csv, .tsv or .txt file, a folder of IDX files, or a built-in data set by its name.

    Rows are returned as they are, not scaled. Nothing is downloaded. Raises fearnet.Error if the data cannot be read.

    Parameters
    ----------
    data : str or path
        A file, "-" for standard input, or the name of a built-in data set ("languages", ...), which takes precedence.
    split : "train", "test" or None
        Read only these rows; no effect on data without a split.
    label_column : str, int or None
        The column with the labels, for CSV and TSV files: a name, or a number from 1.
    drop : sequence of str or int
        Columns to ignore, for CSV and TSV files.
    max_bytes : int
        Limit on the memory that a file may take; larger files are refused before they are unpacked. 0: half of the
        machine's memory.
    """
    columns = [str(column) for column in drop]
    label = "" if label_column is None else str(label_column)
    return Table(**_fearnet.load_table(os.fspath(data), split or "", label, columns, max_bytes))
