"""Requests to a `fearnet serve`: connections that are kept, answers, errors, repetition and server-sent events."""

import http.client
import json
import select
import socket
import ssl
import threading
import time
import urllib.parse
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ._fearnet import Error

RETRIED = (429, 503)  # the server is busy or about to stop; nothing has changed
PING_SECONDS = 15  # an idle stream of events has a comment this often
LARGE_BODY = 1_000_000  # bytes; asks whether it is welcome before it is sent
WELCOME_SECONDS = 2  # a server that knows no such question says nothing
KEEPALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 6}


class ServerError(Error):
    """The server refused a request or could not answer it. The brain is unchanged.

    Attributes
    ----------
    status : int
        The HTTP status, such as 404.
    title : str
        Its name, such as "Not Found".
    detail : str
        What is wrong and what to do, as the program `fearnet` says it; may be empty.
    """

    def __init__(self, status: int, title: str, detail: str = ""):
        super().__init__(f"{status} {title}" + (f": {detail}" if detail else ""))
        self.status = status
        self.title = title
        self.detail = detail

    def __reduce__(self) -> Any:
        return type(self), (self.status, self.title, self.detail)


class Answer(NamedTuple):
    status: int
    reason: str
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise ServerError(self.status, self.reason, "the answer is not JSON; is this a fearnet server?") from None


class Body(NamedTuple):
    content_type: str
    data: bytes


def error_of(answer: Answer) -> ServerError:
    """The error that a problem document (RFC 9457) describes, or any other body."""
    try:
        problem = json.loads(answer.body)
        return ServerError(answer.status, str(problem["title"]), str(problem.get("detail", "")))
    except (ValueError, KeyError, TypeError, AttributeError):
        text = answer.body[:200].decode("utf-8", "replace").strip()
        return ServerError(answer.status, answer.reason, text)


class Server:
    """The address of a server and the connections to it. May be used by several threads at once."""

    def __init__(self, url: str, token: Optional[str], timeout: float, retry_for: float, cafile: Optional[str]):
        parts = urllib.parse.urlsplit(url if "//" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url is {url!r}; it must look like http://127.0.0.1:7077")
        self.url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"
        self.timeout = timeout
        self.retry_for = retry_for
        self._host, self._port = parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/")
        self._tls = ssl.create_default_context(cafile=cafile) if parts.scheme == "https" else None
        self._headers = {"Accept": "application/json", "User-Agent": "fearnet-python"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token.strip()}"
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def ask(
        self,
        method: str,
        path: str,
        query: Optional[Dict[str, Any]] = None,
        body: Optional[Body] = None,
        changes: bool = False,
        wait: Optional[float] = None,
    ) -> Answer:
        """One request and its answer. Raises ServerError for a status other than 2xx.

        `changes`: the request changes a brain, so it is not sent again if the connection is lost on the way. `wait`:
        seconds to wait for the answer, for ever if None and the request changes something.
        """
        wait = wait if wait is not None or changes else self.timeout
        end = time.monotonic() + self.retry_for
        while True:
            answer = self._once(method, path, query, body, changes, wait)
            if answer.status < 300:
                return answer
            pause = _retry_after(answer)
            if answer.status not in RETRIED or time.monotonic() + pause > end:
                raise error_of(answer)
            time.sleep(pause)

    def download(self, path: str) -> Iterator[bytes]:
        """The body of an answer in pieces. Raises ConnectionError if it ends too early."""
        connection, response = self._open_stream(path, "application/octet-stream", self.timeout)
        try:
            expected, received = response.length, 0
            while True:
                piece = response.read(1 << 20)
                if not piece:
                    break
                received += len(piece)
                yield piece
            if expected is not None and received != expected:
                raise ConnectionError(f"{self.url}{path}: ended after {received} of {expected} bytes")
        except http.client.IncompleteRead as error:
            raise ConnectionError(f"{self.url}{path}: ended early") from error
        finally:
            response.close()
            connection.close()

    def events(self, path: str) -> Iterator[Tuple[str, Dict[str, Any]]]:
        """The events of a stream until the server ends it. Raises OSError if the connection is lost."""
        silence = max(self.timeout, 3 * PING_SECONDS)
        connection, response = self._open_stream(path, "text/event-stream", silence)
        try:
            yield from _parsed_events(response)
        except http.client.IncompleteRead:
            raise ConnectionError(f"{self.url}{path}: the connection was lost") from None
        finally:
            response.close()
            connection.close()

    # -- inside

    def _once(
        self,
        method: str,
        path: str,
        query: Optional[Dict[str, Any]],
        body: Optional[Body],
        changes: bool,
        wait: Optional[float],
    ) -> Answer:
        connection = self._kept_connection()
        kept = connection is not None
        while True:
            try:
                connection = connection or self._new_connection()
                return self._exchange(connection, method, self._target(path, query), body, wait)
            except BaseException as error:
                if connection is not None:
                    connection.close()
                # The server may close a kept connection at any time: then the request is sent on a new one.
                if not (kept and not changes and isinstance(error, (http.client.RemoteDisconnected, ConnectionError))):
                    raise
                connection, kept = None, False

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        body: Optional[Body],
        wait: Optional[float],
    ) -> Answer:
        headers = dict(self._headers)
        if body is not None:
            headers["Content-Type"] = body.content_type
        elif method == "POST":
            headers["Content-Length"] = "0"
        connection.sock.settimeout(wait)
        refused: Optional[Exception] = None
        try:
            self._send(connection, method, target, headers, body.data if body is not None else b"")
        except (BrokenPipeError, ConnectionResetError) as error:
            refused = error  # the server may have answered without reading the body, for example with 413
        try:
            response = connection.getresponse()
            answer = Answer(response.status, response.reason, response.headers, response.read())
        except (http.client.HTTPException, OSError) as error:
            if isinstance(error, http.client.IncompleteRead):
                raise ConnectionError(f"{self.url}: the answer ended early") from error
            raise (refused or error) from None
        if refused is None and not response.will_close:
            with self._lock:
                self._idle.append(connection)
        else:
            connection.close()
        return answer

    def _send(
        self, connection: http.client.HTTPConnection, method: str, target: str, headers: Dict[str, str], data: bytes
    ) -> None:
        # What has come on a TLS connection cannot be looked at without reading it.
        asks = len(data) > LARGE_BODY and self._tls is None
        connection.putrequest(method, target)
        for name, value in headers.items():
            connection.putheader(name, value)
        if data:
            connection.putheader("Content-Length", str(len(data)))
        if asks:
            connection.putheader("Expect", "100-continue")
        connection.endheaders()
        if asks and select.select([connection.sock], [], [], WELCOME_SECONDS)[0]:
            if not connection.sock.recv(12, socket.MSG_PEEK).startswith(b"HTTP/1.1 100"):
                raise BrokenPipeError("the server does not want the body")
        connection.send(data)

    def _open_stream(
        self, path: str, accept: str, silence: float
    ) -> Tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        connection = self._new_connection()
        try:
            connection.sock.settimeout(silence)
            connection.request("GET", self._target(path, None), None, {**self._headers, "Accept": accept})
            response = connection.getresponse()
            if response.status >= 300:
                raise error_of(Answer(response.status, response.reason, response.headers, response.read()))
            return connection, response
        except BaseException:
            connection.close()
            raise

    def _target(self, path: str, query: Optional[Dict[str, Any]]) -> str:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        end = "?" + urllib.parse.urlencode(given, quote_via=urllib.parse.quote) if given else ""
        return self._prefix + path + end

    def _kept_connection(self) -> Optional[http.client.HTTPConnection]:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            # Whatever can be read now is the end of the connection.
            if connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]:
                return connection
            connection.close()

    def _new_connection(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection
        if self._tls is not None:
            connection = http.client.HTTPSConnection(
                self._host, self._port, timeout=self.timeout, context=self._tls
            )
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=self.timeout)
        connection.connect()
        # Teaching may take minutes without a byte: find out by ourselves when the other side is gone.
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in KEEPALIVE.items():
            if hasattr(socket, name):
                connection.sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        return connection


def _retry_after(answer: Answer) -> float:
    try:
        return max(0.0, float(answer.headers.get("Retry-After", "1")))
    except ValueError:
        return 1.0


def _parsed_events(response: http.client.HTTPResponse) -> Iterator[Tuple[str, Dict[str, Any]]]:
    name = "message"
    data: List[str] = []
    while True:
        line = response.readline()
        if not line:
            return
        text = line.decode("utf-8").rstrip("\r\n")
        if not text:
            if data:
                yield name, json.loads("\n".join(data))
            name, data = "message", []
            continue
        field, _, value = text.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
