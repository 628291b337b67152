"""The user's labels and the whole numbers that stand for them inside."""

import numpy as np


class Labels:
    """Labels in order, each with the number it got when it was first met and how often it was met since.

    Not changed in place: `with_examples` and `without` give new ones.
    """

    def __init__(self, values, ids, counts):
        self.values = values  # ascending
        self.ids = ids
        self.counts = counts

    @classmethod
    def none(cls):
        return cls(None, np.empty(0, np.int32), np.empty(0, np.int64))

    def with_examples(self, y):
        """These and the labels of one session. Raises ValueError when they cannot be compared."""
        new, counts = np.unique(y, return_counts=True)
        if self.values is None:
            return Labels(new, np.arange(len(new), dtype=np.int32), counts.astype(np.int64))
        _check_comparable(self.values, new)
        values = np.union1d(self.values, new)
        known = np.searchsorted(values, self.values)
        ids = np.full(len(values), -1, np.int32)
        ids[known] = self.ids
        fresh = ids < 0
        ids[fresh] = self.ids.max() + 1 + np.arange(fresh.sum(), dtype=np.int32)
        total = np.zeros(len(values), np.int64)
        total[known] += self.counts
        total[np.searchsorted(values, new)] += counts
        return Labels(values, ids, total)

    def without(self, label):
        kept = self.values != label
        return Labels(self.values[kept], self.ids[kept], self.counts[kept])

    def ids_of(self, y):
        return self.ids[np.searchsorted(self.values, y)]

    def values_of(self, ids):
        order = np.argsort(self.ids)
        return self.values[order[np.searchsorted(self.ids, ids, sorter=order)]]

    def id_of(self, label):
        found = np.flatnonzero(self.values == label)
        if len(found) == 0:
            raise ValueError(f"{label!r} is not one of the {len(self.values)} classes taught")
        return int(self.ids[found[0]])


def _check_comparable(known, new):
    numbers = "biuf"
    if (known.dtype.kind in numbers) != (new.dtype.kind in numbers) and "O" not in (known.dtype.kind, new.dtype.kind):
        raise ValueError(f"labels of type {new.dtype} cannot join those of type {known.dtype} taught before")


def as_names(values):
    """Labels as texts."""
    return [str(value) for value in values.tolist()]


def from_names(names, dtype=None):
    """What as_names made of labels. Without a dtype whole numbers become numbers and the rest stays text."""
    if dtype is None:
        dtype = np.int64 if all(_is_whole(name) for name in names) else str
    if np.dtype(dtype).kind == "b":
        return np.array([name == "True" for name in names])
    return np.array(names).astype(dtype)


def _is_whole(name):
    try:
        return str(int(name)) == name and abs(int(name)) < 2**63
    except ValueError:
        return False
