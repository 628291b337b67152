"""What a Client sends: rows, texts or files, as the bodies of requests."""

import json
import os
import pathlib
import uuid
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Sequence, Union

import numpy as np

from ._http import Body
from ._labels import as_names

NUMBERS = "biuf"  # kinds of numpy types
FILE_KINDS = ("image", "sound")
PART_BYTES = 300  # the header of a part of a multipart body, at most about


class Block(NamedTuple):
    """Consecutive inputs that travel in one request."""

    first: int
    size: int
    body: Body
    query: Dict[str, Any]


class Rows:
    """A matrix of numbers, sent as float32."""

    def __init__(self, x: Any):
        self.x = np.ascontiguousarray(x, dtype="<f4")
        if self.x.ndim != 2:
            raise ValueError(f"Expected 2D array, got {self.x.ndim}D array instead. Reshape your data")

    def __len__(self) -> int:
        return len(self.x)

    def bytes_of(self, i: int) -> int:
        return 4 * self.x.shape[1]

    def body(self, first: int, end: int) -> Body:
        return Body("application/octet-stream", self.x[first:end].tobytes())

    def taught_body(self, names: List[str]) -> Body:
        """All rows with their labels; raw numbers have a place for a single label only."""
        rows = ",".join("[" + ",".join(f"{v:.9g}" for v in row) + "]" for row in self.x.tolist())
        return Body("application/json", f'{{"labels":{json.dumps(names)},"rows":[{rows}]}}'.encode())

    def query(self) -> Dict[str, Any]:
        return {"width": self.x.shape[1]}

    def name_of(self, i: int) -> Dict[str, str]:
        return {}


class Texts:
    """Texts, sent as JSON."""

    def __init__(self, texts: Sequence[str]):
        self.texts = list(texts)

    def __len__(self) -> int:
        return len(self.texts)

    def bytes_of(self, i: int) -> int:
        return len(self.texts[i].encode()) + 16

    def body(self, first: int, end: int) -> Body:
        return json_body({"texts": self.texts[first:end]})

    def taught_body(self, names: List[str]) -> Body:
        return json_body({"texts": self.texts, "labels": names})

    def query(self) -> Dict[str, Any]:
        return {}

    def name_of(self, i: int) -> Dict[str, str]:
        return {}


class Files:
    """Files by path, or their contents, sent as multipart/form-data."""

    def __init__(self, items: Sequence[Any]):
        self.items = list(items)

    def __len__(self) -> int:
        return len(self.items)

    def bytes_of(self, i: int) -> int:
        item = self.items[i]
        return PART_BYTES + (len(item) if isinstance(item, bytes) else os.stat(item).st_size)

    def body(self, first: int, end: int) -> Body:
        return self._multipart(first, end, [])

    def taught_body(self, names: List[str]) -> Body:
        return self._multipart(0, len(self.items), names)

    def query(self) -> Dict[str, Any]:
        return {}

    def name_of(self, i: int) -> Dict[str, str]:
        item = self.items[i]
        return {} if isinstance(item, bytes) else {"input": os.fsdecode(item)}

    def _multipart(self, first: int, end: int, names: List[str]) -> Body:
        boundary = uuid.uuid4().hex
        parts: List[bytes] = []

        def add(disposition: str, content: bytes) -> None:
            header = f"Content-Disposition: form-data; {disposition}"
            parts.extend((f"--{boundary}\r\n{header}\r\n\r\n".encode(), content, b"\r\n"))

        for label in names:
            add('name="label"', label.encode())
        for i in range(first, end):
            item = self.items[i]
            if isinstance(item, bytes):
                add(f'name="file"; filename="{i}"', item)
            else:
                name = _quoted(os.path.basename(os.fsdecode(item)))
                add(f'name="file"; filename="{name}"', pathlib.Path(item).read_bytes())
        parts.append(f"--{boundary}--\r\n".encode())
        return Body(f"multipart/form-data; boundary={boundary}", b"".join(parts))


Inputs = Union[Rows, Texts, Files]


def inputs_of(X: Any, kind_of_brain: Callable[[], str]) -> Inputs:
    """Recognizes what X is. `kind_of_brain` says what the brain learns from; it is called for a list of str only."""
    if isinstance(X, (str, bytes, os.PathLike)):
        raise ValueError("X is a single text, file or path; give a list of them")
    if isinstance(X, np.ndarray) and X.dtype.kind in NUMBERS:
        return Rows(X)
    items = X.tolist() if isinstance(X, np.ndarray) and X.dtype.kind in "UO" and X.ndim == 1 else X
    items = items if isinstance(items, list) else list(items) if isinstance(items, tuple) else None
    if items and all(isinstance(item, (bytes, os.PathLike)) for item in items):
        return Files(items)
    if items and all(isinstance(item, str) for item in items):
        kind = kind_of_brain()
        if kind in FILE_KINDS:
            return Files(items)
        if kind != "text" and all(os.path.isfile(item) for item in items):
            raise ValueError("X may be texts or names of files; give the files as pathlib.Path")
        return Texts(items)
    return Rows(np.asarray(X if items is None else items))


def names_of(y: Any, count: int) -> List[str]:
    """The labels as str, one per input. A single label is that of all inputs."""
    values = np.asarray(y)
    if values.ndim == 0:
        values = np.repeat(values, count)
    if values.ndim != 1 or len(values) != count:
        raise ValueError(f"{count} inputs need as many labels in one dimension, not an array of shape {values.shape}")
    if values.dtype.kind == "f" and np.any(values != np.floor(values)):
        raise ValueError("Unknown label type: continuous")
    names: List[str] = as_names(values)
    return names


def blocks_of(inputs: Inputs, most_bytes: int) -> Iterator[Block]:
    """Splits inputs into requests of at most `most_bytes`, but at least one input each."""
    first, size = 0, 0
    for i in range(len(inputs)):
        more = inputs.bytes_of(i)
        if i > first and size + more > most_bytes:
            yield _block(inputs, first, i)
            first, size = i, 0
        size += more
    if first < len(inputs):
        yield _block(inputs, first, len(inputs))


def halves_of(inputs: Inputs, block: Block) -> List[Block]:
    """The block as two, or nothing if it is a single input."""
    if block.size < 2:
        return []
    middle, end = block.first + block.size // 2, block.first + block.size
    return [_block(inputs, block.first, middle), _block(inputs, middle, end)]


def taught(inputs: Inputs, names: List[str]) -> Block:
    """All inputs with their labels, in one request: a session."""
    one_class = len(set(names)) == 1
    body = inputs.body(0, len(inputs)) if one_class else inputs.taught_body(names)
    query = {**inputs.query(), "label": names[0] if one_class else None}
    return Block(0, len(inputs), body, query)


def _block(inputs: Inputs, first: int, end: int) -> Block:
    return Block(first, end - first, inputs.body(first, end), inputs.query())


def json_body(value: Any) -> Body:
    return Body("application/json", json.dumps(value).encode())


def _quoted(name: str) -> str:
    """A file name in a header, escaped as browsers do."""
    name = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    return name.encode("utf-8", "replace").decode()

