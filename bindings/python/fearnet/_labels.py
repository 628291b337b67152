"""Maps the labels of the user to the class numbers of a learner, or to the class names of a server."""

import threading

import numpy as np


class Labels:
    """The labels taught so far, ascending, each with its class number and the number of its examples.

    Immutable: `with_examples` and `without` return new objects.
    """

    def __init__(self, values, ids, counts):
        self.values = values  # ascending
        self.ids = ids
        self.counts = counts

    @classmethod
    def none(cls):
        return cls(None, np.empty(0, np.int32), np.empty(0, np.int64))

    def with_examples(self, y):
        """Returns these labels and those of a session. Raises ValueError if one has texts and the other numbers."""
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


class TaughtLabels:
    """Gives class names back as the labels that were taught. May be used by several threads at once."""

    def __init__(self, dtype=None):
        self._dtype = dtype  # of labels that were not taught here; None: str
        self._values = {}  # by name
        self._lock = threading.Lock()

    def add(self, names, y):
        values = np.asarray(y).reshape(-1).tolist()
        with self._lock:
            self._values.update(zip(names, values if len(values) == len(names) else values * len(names)))

    def values_of(self, names):
        """An array; of type object if only some labels are str."""
        known = {name: self._value_of(name) for name in set(names)}
        kinds = {np.asarray(value).dtype.kind for value in known.values()}
        dtype = str if not kinds else None if len(kinds) == 1 else object
        return np.array([known[name] for name in names], dtype=dtype)

    def ascending(self, names):
        """As values_of, with numbers before texts."""
        values = self.values_of(names)
        order = sorted(range(len(values)), key=lambda i: (isinstance(values[i], str), values[i]))
        return values[order]

    def _value_of(self, name):
        with self._lock:
            if name in self._values:
                return self._values[name]
        try:
            return name if self._dtype is None else from_names([name], self._dtype).tolist()[0]
        except ValueError:
            return name


def _check_comparable(known, new):
    numbers = "biuf"
    if (known.dtype.kind in numbers) != (new.dtype.kind in numbers) and "O" not in (known.dtype.kind, new.dtype.kind):
        raise ValueError(f"labels of type {new.dtype} cannot join those of type {known.dtype} taught before")


def as_names(values):
    """Returns labels as a list of str."""
    return [str(value) for value in values.tolist()]


def from_names(names, dtype=None):
    """The inverse of as_names. Without a dtype, names become int64 if all are whole numbers, else they stay str."""
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
