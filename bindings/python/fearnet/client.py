"""Client: a brain on a server (`fearnet serve`), with the methods of the estimator."""

import itertools
import os
import tempfile
import urllib.parse
import warnings
from typing import Any, Dict, Iterator, List, Optional, Tuple, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._fearnet import Error
from ._http import Answer, Body, Server, ServerError
from ._inputs import Block, Inputs, blocks_of, halves_of, inputs_of, json_body, names_of, taught
from ._labels import TaughtLabels, as_names

TOO_LARGE = 413
ALL_CLASSES = 1_000_000
STATE_HEADER = "FearNet-State"
NO_ANSWER: Dict[str, Any] = {"label": None, "unknown": True, "familiarity": None, "classes": []}

Self = TypeVar("Self", bound="Client")
Path = Union[str, "os.PathLike[str]"]
Json = Dict[str, Any]


class Client:
    """A brain that a server (`fearnet serve`) keeps: teach it and ask it over HTTP.

    X is what the brain learns from: a matrix of numbers, a list of texts, or a list of photographs or sounds, as paths
    or as bytes. A list of str is a list of texts, except for a brain of photographs or sounds, where it is a list of
    paths; `pathlib.Path` is always a file. Files are read here and sent, so the server need not see them.

    Several threads may use one client at once. Connections are kept until `close`, or the end of a `with` block.

    If the server refuses a request, the method raises ServerError and the brain is unchanged. While the server is busy
    or stopping (status 429 and 503), requests are repeated when it says, for `retry_for` seconds. If the connection is
    lost while something is taught, OSError is raised and the request is not repeated: `info()["state"]` tells whether
    it took effect.

    Parameters
    ----------
    url : str
        Such as "http://127.0.0.1:7077".
    token : str, default=None
        The token of the server, if it has one.
    brain : str, default=None
        The name of the brain; may be left out if the server has only one.
    timeout : float, default=60
        Seconds to wait for a connection and for an answer. Methods that change the brain wait as long as the server
        works; with their parameter `deadline`, the server gives up after so many seconds and changes nothing.
    dtype : dtype, default=None
        Type of the labels that this client has not taught itself; str if not given.
    cafile : path, default=None
        The certificates to trust for https, such as the server's own; those of the system if not given.
    retry_for : float, default=60
        Seconds during which a request to a busy server is repeated.
    block_bytes : int, default=8 MB
        Questions about many inputs are sent in requests of about this size. A session is always one request: the
        server's --max-body limits its size.

    Examples
    --------
    >>> client = fearnet.Client("http://127.0.0.1:7077", brain="pets")
    >>> client.partial_fit([pathlib.Path("rex1.jpg"), pathlib.Path("rex2.jpg")], "rex")
    >>> client.predict([pathlib.Path("IMG_2041.jpg")])
    """

    def __init__(
        self,
        url: str,
        token: Optional[str] = None,
        brain: Optional[str] = None,
        timeout: float = 60,
        *,
        dtype: Optional[DTypeLike] = None,
        cafile: Optional[str] = None,
        retry_for: float = 60,
        block_bytes: int = 8_000_000,
    ):
        self._server = Server(url, token, timeout, retry_for, cafile)
        self._brain = brain
        self._timeout = timeout
        self._block_bytes = block_bytes
        self._labels = TaughtLabels(dtype)
        self._kind = "unknown"
        self._state = -1  # of the latest answer
        self._classes: Optional[Tuple[int, NDArray[Any]]] = None  # with their state

    # -- the server

    def brains(self) -> List[Json]:
        """Returns the brains of the server: name, classes, state, sleep_due, read_only and input of each."""
        result: List[Json] = self._server.ask("GET", "/v1/brains").json()["brains"]
        return result

    def create(
        self,
        name: str,
        features: Optional[str] = None,
        learner: Optional[str] = None,
        options: Optional[Json] = None,
    ) -> Json:
        """Makes a brain on a server that serves a folder, as `fearnet new` does, and uses it if no brain was chosen."""
        texts = {key: str(value) for key, value in (options or {}).items()}
        given = {"name": name, "features": features, "learner": learner, "options": texts or None}
        body = json_body({key: value for key, value in given.items() if value is not None})
        made: Json = self._server.ask("POST", "/v1/brains", body=body, changes=True).json()
        if self._brain is None:
            self._brain = name
        return made

    @property
    def brain(self) -> str:
        """The name of the brain. Raises ValueError if none was given and the server does not have exactly one."""
        if self._brain is None:
            names = [entry["name"] for entry in self.brains()]
            if len(names) != 1:
                raise ValueError(f"{self._server.url} has {len(names)} brains {names}; give one of them as brain=")
            self._brain = names[0]
        return self._brain

    def close(self) -> None:
        """Closes the connections. The client may be used again."""
        self._server.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *args: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self._server.url!r}, brain={self._brain!r})"

    # -- teaching

    def learn(
        self,
        X: Any,
        y: Any,
        *,
        skip_suspicious: bool = False,
        dry_run: bool = False,
        deadline: Optional[float] = None,
    ) -> Json:
        """Teaches one session and returns what the server says of it.

        The result has `examples`, `new_classes`, `known_classes`, `suspects` (labels that are probably wrong),
        `unreadable` (files that were left out), `sleep_due` and `state`; class names are str. `y` has one label per
        input, or is the label of all. With `dry_run` nothing is taught.
        """
        inputs = self._inputs(X)
        names = names_of(y, len(inputs))
        if not names:
            raise ValueError("there is nothing to teach: X is empty")
        session = taught(inputs, names)
        flags = {"skip_suspicious": _flag(skip_suspicious), "dry_run": _flag(dry_run)}
        told = self._change("learn", session.body, {**session.query, **flags}, deadline)
        if not dry_run:
            self._labels.add(names, y)
        return told

    def partial_fit(self: Self, X: Any, y: Any, *, deadline: Optional[float] = None) -> Self:
        """Teaches one session: new classes, or more examples of known ones. Returns self.

        Warns of files that cannot be read; the others are taught. The server sleeps by itself if it was started with
        --auto-sleep.
        """
        unreadable = self.learn(X, y, deadline=deadline)["unreadable"]
        if unreadable:
            first = unreadable[0]
            warnings.warn(
                f"{len(unreadable)} of {len(X)} inputs cannot be read and were not taught; "
                f"the first: {first['reason']}",
                stacklevel=2,
            )
        return self

    def sleep(self, deadline: Optional[float] = None) -> bool:
        """Consolidates what was taught since the last sleep and deletes its examples.

        Returns False if there was nothing to do.
        """
        return bool(self._change("sleep", None, {}, deadline)["slept"])

    def forget(self: Self, label: Any, deadline: Optional[float] = None) -> Self:
        """Removes a class. Returns self."""
        self._change("forget", json_body({"label": str(label)}), {}, deadline)
        return self

    def rename(self: Self, label: Any, to: Any) -> Self:
        """Gives a class another name. Returns self."""
        self._change("rename", json_body({"from": str(label), "to": str(to)}), {}, None)
        self._labels.add([str(to)], to)
        return self

    def merge(self: Self, label: Any, into: Any) -> Self:
        """Makes a class part of another one. Returns self."""
        self._change("merge", json_body({"from": str(label), "into": str(into)}), {}, None)
        return self

    # -- asking

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels of the brain, ascending, as of the latest answer that this client has received.

        The columns of the latest `predict_proba` have this order, even if somebody else has taught the brain since.
        """
        if self._classes is None or self._classes[0] != self._state:
            self.info()
        assert self._classes is not None
        return self._classes[1]

    def predict(self, X: Any) -> NDArray[Any]:
        """Returns the most probable class of each input.

        A label has the type in which this client has taught it, else that of `dtype`, else str.

        Raises fearnet.Error if the server cannot read an input; `answers` marks it instead.
        """
        labels: NDArray[Any] = self._labels.values_of([answer["label"] for answer in self._readable(self.answers(X))])
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Returns an array of shape (inputs, len(classes_)): the probability of each class."""
        inputs = self._inputs(X)
        for _ in range(5):
            answers = self._readable(self._answers(inputs, {"top": ALL_CLASSES}))
            columns = {name: i for i, name in enumerate(as_names(self.classes_))}
            result = _probabilities(answers, columns)
            if result is not None:
                return result
            self.info()
        raise Error("Client.predict_proba: the classes of the brain change faster than it answers; try again")

    def familiarity(self, X: Any) -> Optional[NDArray[np.float64]]:
        """Returns how familiar each input looks, 0 to 1; None if the learner does not estimate it."""
        values = [answer["familiarity"] for answer in self._readable(self.answers(X))]
        return None if None in values else np.array(values, dtype=np.float64)

    def answers(
        self,
        X: Any,
        top: int = 1,
        confidence: Optional[float] = None,
        unknown: Optional[float] = None,
        explain: bool = False,
    ) -> List[Json]:
        """Returns one answer per input, as `fearnet predict --json` prints them; class names are str.

        An answer has `row`, `label`, `unknown`, `familiarity` and `classes`: the `top` most probable ones, or with
        `confidence=0.9` the set that has the right class with this probability. `unknown=0.05`: inputs of a smaller
        familiarity are unknown. `explain` adds an `explanation` if the learner has two memories. An input that cannot
        be read has the label None and a `reason`.
        """
        return self._answers(
            self._inputs(X),
            {
                "top": top,
                "confidence": _percent(confidence),
                "unknown": _percent(unknown),
                "explain": _flag(explain),
            },
        )

    def suspects(self, X: Any, y: Any) -> List[Json]:
        """Returns the inputs whose labels are probably wrong, with `row`, `label`, `looks_like` and `probability`."""
        inputs = self._inputs(X)
        session = taught(inputs, names_of(y, len(inputs)))
        told: List[Json] = self._ask("POST", "review", session.query, session.body).json()["suspects"]
        return told

    def discover(self, X: Any, below: float = 0.2, min_rows: int = 3) -> List[Json]:
        """Returns groups of inputs that are alike and unlike every class: `rows`, `spread` and `nearest` of each."""
        inputs = self._inputs(X)
        query = {**inputs.query(), "below": below, "min_rows": min_rows}
        told: List[Json] = self._ask("POST", "discover", query, inputs.body(0, len(inputs))).json()["groups"]
        return told

    def info(self) -> Json:
        """Returns classes, memory, options and history of the brain, as `fearnet info --json` prints them."""
        told: Json = self._ask("GET", "info").json()
        self._kind = told.get("input", "unknown")
        self._classes = told["state"], self._labels.ascending([entry["label"] for entry in told["classes"]])
        return told

    def history(self) -> List[Json]:
        """Returns what has changed the brain, oldest first."""
        told: List[Json] = self._ask("GET", "history").json()["history"]
        return told

    def review(self) -> Json:
        """Returns how well each class is known and what it is confused with, as `fearnet review --json` prints it."""
        told: Json = self._ask("GET", "review").json()
        return told

    def map(self) -> List[Json]:
        """Returns `label`, `x` and `y` of each class: its mean on the two main axes of the class means."""
        told: List[Json] = self._ask("GET", "map").json()["points"]
        return told

    def check(self) -> List[str]:
        """Verifies every checksum of the brain's file. Returns what is wrong: [] for an intact file."""
        told: List[str] = self._ask("GET", "check").json()["problems"]
        return told

    def events(self) -> Iterator[Json]:
        """Yields what happens to the brain, as dicts with the key "event": "state", "progress" or "done".

        The first event has the present state. Ends when the server stops; raises OSError if the connection is lost.
        """
        for name, data in self._server.events(self._path("events")):
            yield {"event": name, **data}

    # -- keeping

    def snapshot(self, path: Path, overwrite: bool = False) -> None:
        """Saves a copy of the brain's file, complete and consistent. Raises FileExistsError unless `overwrite`."""
        self._save("snapshot", path, overwrite)

    def export_onnx(self, path: Path, overwrite: bool = False) -> None:
        """Saves the model for ONNX runtimes. Raises FileExistsError unless `overwrite`."""
        self._save("export.onnx", path, overwrite)

    # -- inside

    def _path(self, what: str) -> str:
        return f"/v1/brains/{urllib.parse.quote(self.brain, safe='')}/{what}"

    def _ask(self, method: str, what: str, query: Optional[Json] = None, body: Optional[Body] = None) -> Answer:
        return self._noted(self._server.ask(method, self._path(what), query, body))

    def _change(self, what: str, body: Optional[Body], query: Json, deadline: Optional[float]) -> Json:
        wait = None if deadline is None else deadline + self._timeout
        query = {**query, "deadline": deadline}
        answer = self._noted(self._server.ask("POST", self._path(what), query, body, changes=True, wait=wait))
        told: Json = answer.json()
        return told

    def _noted(self, answer: Answer) -> Answer:
        state = answer.headers.get(STATE_HEADER)
        if state is not None:
            self._state = int(state)
        return answer

    def _inputs(self, X: Any) -> Inputs:
        return inputs_of(X, self._kind_of_brain)

    def _kind_of_brain(self) -> str:
        if self._kind == "unknown":
            self.info()
        return self._kind

    def _answers(self, inputs: Inputs, query: Json) -> List[Json]:
        result: List[Json] = []
        waiting: List[Block] = []
        blocks = blocks_of(inputs, self._block_bytes)
        while True:
            if not waiting:
                waiting.extend(itertools.islice(blocks, 1))
            if not waiting:
                return result
            block = waiting.pop()
            try:
                told = self._ask("POST", "predict", {**query, **block.query}, block.body).json()
            except ServerError as error:
                if error.status != TOO_LARGE or block.size < 2:
                    raise
                waiting.extend(reversed(halves_of(inputs, block)))
                continue
            result.extend(_one_per_input(told, inputs, block))

    def _readable(self, answers: List[Json]) -> List[Json]:
        wrong = [answer for answer in answers if answer["label"] is None]
        if wrong:
            raise Error(
                f"{len(wrong)} of {len(answers)} inputs cannot be read; "
                f"{wrong[0].get('input', wrong[0]['row'])}: {wrong[0]['reason']}"
            )
        return answers

    def _save(self, what: str, path: Path, overwrite: bool) -> None:
        path = os.path.abspath(os.fspath(path))
        if not overwrite and os.path.exists(path):
            raise FileExistsError(f"{path} exists; overwrite=True replaces it")
        descriptor, temporary = tempfile.mkstemp(prefix=".fearnet-", dir=os.path.dirname(path))
        try:
            with os.fdopen(descriptor, "wb") as file:
                for piece in self._server.download(self._path(what)):
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise


def _one_per_input(told: Json, inputs: Inputs, block: Block) -> List[Json]:
    """The answers of a block in the order of its inputs, also of those that cannot be read."""
    answers = {answer["row"]: answer for answer in told["answers"]}
    unreadable = iter(told["unreadable"])
    if len(answers) + len(told["unreadable"]) != block.size:
        raise Error(f"the server answered {len(answers)} inputs of {block.size}; is it a fearnet server?")
    result = []
    for i in range(block.size):
        answer: Json = answers.get(i) or {**NO_ANSWER, "reason": next(unreadable)["reason"]}
        result.append({**answer, "row": block.first + i, **inputs.name_of(block.first + i)})
    return result


def _probabilities(answers: List[Json], columns: Dict[str, int]) -> Optional[NDArray[np.float64]]:
    """A matrix with one column per class; None if an answer is about other classes."""
    result = np.zeros((len(answers), len(columns)))
    for row, answer in zip(result, answers):
        found = {c["label"]: c["probability"] for c in answer["classes"]}
        if found.keys() != columns.keys():
            return None
        for name, probability in found.items():
            row[columns[name]] = probability
    shares: NDArray[np.float64] = result / result.sum(axis=1, keepdims=True)
    return shares


def _percent(value: Optional[float]) -> Optional[str]:
    return None if value is None else f"{100 * value:.10g}%"


def _flag(value: bool) -> Optional[int]:
    return 1 if value else None
