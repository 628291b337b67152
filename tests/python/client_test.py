"""Client: against a scripted server for what goes wrong on the way, and against `fearnet serve`."""

import contextlib
import http.server
import json
import os
import pathlib
import pickle
import re
import socket
import subprocess
import threading
import time
import unittest
import urllib.parse
import warnings

import numpy as np
from data import WIDTH, FolderTest, blobs

import fearnet

PROGRAM = os.path.join(os.environ.get("FEARNET_BUILD_DIR", "build/release"), "fearnet")


class Scripted(http.server.ThreadingHTTPServer):
    """Answers each request with the next of the prepared answers, and remembers it."""

    daemon_threads = True

    def __init__(self, *answers):
        super().__init__(("127.0.0.1", 0), ScriptedRequest)
        self.answers = list(answers)
        self.requests = []
        self.connections = 0
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def get_request(self):
        self.connections += 1
        return super().get_request()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def __exit__(self, *args):
        self.shutdown()
        super().__exit__(*args)


class ScriptedRequest(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self):
        url = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        query = dict(urllib.parse.parse_qsl(url.query))
        self.server.requests.append((self.command, urllib.parse.unquote(url.path), query, self.headers, body))
        answer = self.server.answers.pop(0)
        if answer is None:  # dies
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        status, value, headers = (*answer, {})[:3]
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = headers.get("Connection") == "close"

    do_GET = do_POST = handle_any

    def log_message(self, *args):
        pass


def answer(row, label, **more):
    return {"row": row, "label": label, "unknown": False, "familiarity": 0.5, "classes": [], **more}


def answered(*answers, state=4, unreadable=()):
    body = {"state": state, "answers": list(answers), "unreadable": list(unreadable)}
    return (200, body, {"FearNet-State": str(state)})


def info_of(*names, state=4, kind="rows"):
    body = {"state": state, "input": kind, "classes": [{"label": name} for name in names]}
    return (200, body, {"FearNet-State": str(state)})


def learned(state=5, unreadable=()):
    return (200, {"state": state, "unreadable": list(unreadable)}, {"FearNet-State": str(state)})


def problem(status, title, detail, **headers):
    return (status, {"type": "about:blank", "title": title, "status": status, "detail": detail}, headers)


class AskingAScriptedServer(FolderTest):
    @contextlib.contextmanager
    def client(self, *answers, **parameters):
        with Scripted(*answers) as server, fearnet.Client(server.url, brain="pets", **parameters) as client:
            client.server = server
            yield client
            self.assertEqual(server.answers, [], "not all answers were asked for")

    def test_rows_travel_as_float32_in_blocks_and_keep_their_order(self):
        rows = np.arange(12, dtype=np.float64).reshape(3, 4)
        replies = [answered(answer(0, "a"), answer(1, "b")), answered(answer(0, "c"))]
        with self.client(*replies, block_bytes=32) as client:
            self.assertEqual(list(client.predict(rows)), ["a", "b", "c"])
            method, path, query, headers, body = client.server.requests[0]
            self.assertEqual((method, path), ("POST", "/v1/brains/pets/predict"))
            self.assertEqual(query, {"top": "1", "width": "4"})
            self.assertEqual(headers["Content-Type"], "application/octet-stream")
            np.testing.assert_array_equal(np.frombuffer(body, "<f4").reshape(2, 4), rows[:2])
            self.assertEqual(client.server.connections, 1, "the connection was kept")

    def test_a_block_that_is_too_large_is_halved(self):
        too_large = problem(413, "Content Too Large", "the body has 9 bytes; at most 8")
        replies = [too_large, answered(answer(0, "a")), answered(answer(0, "b"))]
        with self.client(*replies) as client:
            self.assertEqual(list(client.predict(np.eye(2))), ["a", "b"])
        with self.client(too_large) as client, self.assertRaises(fearnet.ServerError) as caught:
            client.predict(np.eye(1))
        self.assertEqual(caught.exception.status, 413)

    def test_an_error_has_status_title_and_detail(self):
        with self.client(problem(404, "Not Found", "no class is called 'owl'")) as client:
            with self.assertRaisesRegex(fearnet.ServerError, "404 Not Found: no class is called 'owl'") as caught:
                client.forget("owl")
        error = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((error.status, error.title, error.detail), (404, "Not Found", "no class is called 'owl'"))
        with self.client((502, b"<html>Bad Gateway")) as client, self.assertRaises(fearnet.ServerError) as caught:
            client.info()
        self.assertEqual((caught.exception.status, caught.exception.detail), (502, "<html>Bad Gateway"))
        with self.client((200, b"hello")) as client, self.assertRaisesRegex(fearnet.ServerError, "not JSON"):
            client.info()

    def test_a_busy_server_is_asked_again_when_it_says(self):
        busy = problem(429, "Too Many Requests", "16 changes wait", **{"Retry-After": "0.05"})
        with self.client(busy, busy, learned()) as client:
            client.partial_fit(np.eye(2), "a")
        stopping = problem(503, "Service Unavailable", "the server is stopping", **{"Retry-After": "30"})
        with self.client(stopping, retry_for=1) as client, self.assertRaises(fearnet.ServerError) as caught:
            client.partial_fit(np.eye(2), "a")
        self.assertEqual(caught.exception.status, 503)

    def test_a_lost_connection_repeats_questions_and_never_lessons(self):
        with self.client(info_of("a"), None, answered(answer(0, "a"))) as client:
            client.info()
            self.assertEqual(list(client.predict(np.eye(1))), ["a"])
        with self.client(info_of("a"), None) as client:
            client.info()
            with self.assertRaises(OSError):
                client.partial_fit(np.eye(2), "a")
        # A connection that the server has closed meanwhile is replaced, also for lessons.
        closed = (*info_of("a")[:2], {"Connection": "close"})
        with self.client(closed, learned()) as client:
            client.info()
            time.sleep(0.05)
            client.partial_fit(np.eye(2), "a")

    def test_a_server_that_does_not_answer_is_given_up(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            client = fearnet.Client(f"127.0.0.1:{silent.getsockname()[1]}", brain="pets", timeout=0.1)
            with self.assertRaises(OSError):
                client.info()
            with self.assertRaises(OSError):
                client.learn(np.eye(2), "a", deadline=0.1)
        with self.assertRaises(ConnectionRefusedError):
            client.info()
        for url in ("ftp://a", "http://", "http:///x"):
            with self.assertRaisesRegex(ValueError, "must look like"):
                fearnet.Client(url)

    def test_the_token_and_the_path_of_the_url_are_sent(self):
        with Scripted(info_of("a")) as server:
            with fearnet.Client(server.url + "/behind/", token="secret\n", brain="a b/c") as client:
                client.info()
            _, path, _, headers, _ = server.requests[0]
        self.assertEqual(path, "/behind/v1/brains/a b/c/info")
        self.assertEqual(headers["Authorization"], "Bearer secret")

    def test_the_only_brain_is_found_and_one_of_several_must_be_named(self):
        for names in ([], ["a", "b"]):
            entries = [{"name": name} for name in names]
            with Scripted((200, {"brains": entries})) as server, fearnet.Client(server.url) as client:
                with self.assertRaisesRegex(ValueError, f"has {len(names)} brains"):
                    client.info()
        entries = [{"name": "pets"}]
        with Scripted((200, {"brains": entries}), info_of("a")) as server, fearnet.Client(server.url) as client:
            client.info()
            self.assertEqual(server.requests[1][1], "/v1/brains/pets/info")

    def test_labels_come_back_as_they_were_taught(self):
        with self.client(learned(), answered(answer(0, "3"), answer(1, "20"))) as client:
            client.partial_fit(np.eye(2), np.array([3, 20]))
            labels = client.predict(np.eye(2))
            self.assertEqual((labels.tolist(), labels.dtype.kind), ([3, 20], "i"))
        with self.client(learned(), answered(answer(0, "3"), answer(1, "owl"))) as client:
            client.partial_fit(np.eye(2), 3)
            self.assertEqual(client.predict(np.eye(2)).tolist(), [3, "owl"])
        with self.client(answered(answer(0, "3"))) as client:
            self.assertEqual(client.predict(np.eye(1)).tolist(), ["3"], "taught by somebody else")
        with self.client(info_of("3", "20", "100"), dtype=int) as client:
            self.assertEqual(client.classes_.tolist(), [3, 20, 100])
        renamed = (200, {"state": 6}, {"FearNet-State": "6"})
        with self.client(learned(), renamed, answered(answer(0, "7"))) as client:
            client.partial_fit(np.eye(2), 3).rename(3, 7)
            self.assertEqual(client.predict(np.eye(1)).tolist(), [7])

    def test_the_columns_of_probabilities_are_those_of_classes(self):
        def ranked(*pairs):
            return answer(0, pairs[0][0], classes=[{"label": name, "probability": p} for name, p in pairs])

        first = answered(ranked(("b", 0.75), ("a", 0.25)))
        with self.client(first, info_of("b", "a")) as client:
            np.testing.assert_array_equal(client.predict_proba(np.eye(1)), [[0.25, 0.75]])
            self.assertEqual(client.classes_.tolist(), ["a", "b"], "no further request")
        # A class has come between two answers.
        second = answered(ranked(("b", 0.5), ("a", 0.25), ("c", 0.25)), state=5)
        replies = [first, info_of("a", "b", "c", state=5), info_of("a", "b", "c", state=5), second]
        with self.client(*replies) as client:
            np.testing.assert_array_equal(client.predict_proba(np.eye(1)), [[0.25, 0.5, 0.25]])

    def test_lists_of_str_are_texts_or_paths_as_the_brain_learns(self):
        path = self.file("a.jpg")
        pathlib.Path(path).write_bytes(b"\xff\xd8")
        with self.client(info_of(kind="text"), answered(answer(0, "a"))) as client:
            client.predict([path])
            self.assertEqual(json.loads(client.server.requests[1][4]), {"texts": [path]})
        with self.client(info_of(kind="image"), answered(answer(0, "a", input="a.jpg"))) as client:
            self.assertEqual(client.answers([path])[0]["input"], path)
            body = client.server.requests[1][4]
            self.assertIn(b'filename="a.jpg"\r\n\r\n\xff\xd8\r\n', body)
        with self.client(info_of(kind="unknown")) as client, self.assertRaisesRegex(ValueError, "pathlib.Path"):
            client.predict([path])

    def test_files_are_taught_with_one_label_each_or_one_for_all(self):
        path = pathlib.Path(self.file('q"\u00fc.wav'))
        path.write_bytes(b"RIFF")
        with self.client(learned(), learned()) as client:
            client.partial_fit([path, b"RIFF2"], ["hum", "b\u00fczz"])
            _, _, query, headers, body = client.server.requests[0]
            boundary = headers.get_param("boundary")
            self.assertEqual(query, {})
            self.assertEqual(body.count(b'name="label"'), 2)
            self.assertIn("b\u00fczz\r\n".encode(), body)
            self.assertIn('filename="q%22\u00fc.wav"'.encode(), body)
            self.assertTrue(body.endswith(f"--{boundary}--\r\n".encode()))
            client.partial_fit([path, b"RIFF2"], "hum")
            self.assertEqual(client.server.requests[1][2], {"label": "hum"})

    def test_what_cannot_be_read_is_named(self):
        bad = {"input": "1", "reason": "not a file of the formats JPEG, PNG and WebP"}
        reply = answered(answer(0, "a"), answer(2, "c"), unreadable=[bad])
        with self.client(reply, reply, learned(unreadable=[bad])) as client:
            answers = client.answers([b"x", b"y", b"z"])
            self.assertEqual([a["label"] for a in answers], ["a", None, "c"])
            self.assertEqual((answers[1]["row"], answers[1]["reason"]), (1, bad["reason"]))
            with self.assertRaisesRegex(fearnet.Error, "1 of 3 inputs cannot be read; .*not a file"):
                client.predict([b"x", b"y", b"z"])
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                client.partial_fit([b"x", b"y", b"z"], "a")
            self.assertIn("1 of 3 inputs", str(caught[0].message))

    def test_mistakes_are_found_before_anything_is_sent(self):
        client = fearnet.Client("http://127.0.0.1:1", brain="pets")
        for message, x, y in [
            ("give a list", "a.jpg", "a"),
            ("Reshape your data", np.eye(2)[0], "a"),
            ("2 inputs need as many labels", np.eye(2), ["a"]),
            ("continuous", np.eye(2), [0.5, 1]),
            ("X is empty", np.empty((0, 2)), []),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                client.partial_fit(x, y)
        self.assertEqual(client.predict(np.empty((0, 2))).tolist(), [])

    def test_events_are_parsed_until_the_stream_ends(self):
        stream = (
            b'event: state\ndata: {"state": 4,\ndata: "action": ""}\n\n: ping\n\n'
            b'event:done\r\ndata:{"work": "learn"}\r\n\r\nevent: nothing\n\n'
        )
        with self.client((200, stream)) as client:
            events = list(client.events())
        self.assertEqual(
            events, [{"event": "state", "state": 4, "action": ""}, {"event": "done", "work": "learn"}]
        )

    def test_a_download_is_complete_or_not_there(self):
        path = self.file("copy.brain")
        cut_off = (200, b"short", {"Content-Length": "9", "Connection": "close"})
        with self.client((200, b"x" * 3000000), cut_off) as client:
            client.snapshot(path)
            self.assertEqual(os.path.getsize(path), 3000000)
            with self.assertRaises(FileExistsError):
                client.snapshot(path)
            with self.assertRaisesRegex(ConnectionError, "ended"):
                client.export_onnx(self.file("a.onnx"))
        self.assertEqual(os.listdir(self.folder), ["copy.brain"])

    def test_threads_share_a_client(self):
        with self.client(*[answered(answer(0, "a")) for _ in range(80)]) as client:
            wrong = []

            def ask():
                for _ in range(20):
                    if client.predict(np.eye(1)).tolist() != ["a"]:
                        wrong.append(1)

            threads = [threading.Thread(target=ask) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])
            self.assertLessEqual(client.server.connections, 4)


def can_serve():
    if not os.access(PROGRAM, os.X_OK):
        return False
    return b"--listen" in subprocess.run([PROGRAM, "serve", "--help"], capture_output=True).stdout


@unittest.skipUnless(can_serve(), f"{PROGRAM} cannot serve")
class AskingFearnetServe(FolderTest):
    def serve(self, *arguments):
        """Starts a server on the folder and returns its address."""
        server = subprocess.Popen(
            [PROGRAM, "serve", self.folder, "--listen", "127.0.0.1:0", "--quiet", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        for line in server.stdout:
            found = re.search(r"https?://[\d.]+:\d+", line)
            if found:
                return found.group()
        self.fail("fearnet serve did not say where it listens")

    def client(self, *arguments, **parameters):
        client = fearnet.Client(self.serve(*arguments), **parameters)
        self.addCleanup(client.close)
        return client

    def test_classes_are_taught_asked_and_kept(self):
        client = self.client()
        client.create("numbers", options={"due.sessions": 5})
        client.partial_fit(*blobs([0, 1, 2]))
        told = client.learn(blobs([3])[0], 3)
        self.assertEqual((told["examples"], told["new_classes"]), (25, ["3"]))
        x, y = blobs(range(4), seed=9)
        self.assertGreater(np.mean(client.predict(x) == y), 0.9)
        self.assertEqual(client.classes_.tolist(), [0, 1, 2, 3])
        proba = client.predict_proba(x)
        np.testing.assert_allclose(proba.sum(axis=1), 1)
        np.testing.assert_array_equal(client.classes_[proba.argmax(axis=1)], client.predict(x))
        self.assertGreater(np.median(client.familiarity(x)), 0.2)
        strange = client.answers(blobs([9], rows=2)[0], top=2, unknown=0.05)
        self.assertEqual([(a["row"], a["unknown"], len(a["classes"])) for a in strange], [(0, 1, 2), (1, 1, 2)])
        self.assertTrue(client.sleep())
        self.assertFalse(client.sleep())
        proba = client.predict_proba(x)  # sleep has fitted the temperature again
        client.snapshot(self.file("copy"))
        with fearnet.Brain.open(self.file("copy"), read_only=True) as copy:
            np.testing.assert_allclose(copy.probabilities(x), proba, atol=1e-4)
        client.export_onnx(self.file("numbers.onnx"))
        self.assertGreater(os.path.getsize(self.file("numbers.onnx")), 100)
        self.assertEqual(client.check(), [])

    def test_classes_are_renamed_merged_and_forgotten(self):
        client = self.client()
        client.create("numbers")
        x, y = blobs(range(4))
        client.partial_fit(x, y).rename(0, 10).merge(1, 10).forget(3)
        self.assertEqual(client.classes_.tolist(), [2, 10])
        self.assertEqual(client.predict(x[:50]).tolist(), [10] * 50)
        self.assertEqual([h["action"] for h in client.history()][-3:], ["rename", "merge", "forget"])
        with self.assertRaises(fearnet.ServerError) as caught:
            client.forget("owl")
        self.assertEqual(caught.exception.status, 404)
        self.assertIn("owl", caught.exception.detail)

    def test_labels_are_checked_and_groups_found(self):
        client = self.client()
        client.create("numbers")
        client.partial_fit(*blobs(range(4), rows=100))
        x, y = blobs([1, 2, 4], rows=60, seed=3)
        y[2:8] = 2
        self.assertEqual([s["row"] for s in client.suspects(x, y)], list(range(2, 8)))
        groups = client.discover(np.concatenate([blobs([0], rows=5, seed=8)[0], blobs([9], rows=20, seed=8)[0]]))
        self.assertEqual([group["rows"] for group in groups], [list(range(5, 25))])
        self.assertEqual(len(client.review()["classes"]), 4)
        self.assertEqual(sorted(point["label"] for point in client.map()), ["0", "1", "2", "3"])
        self.assertEqual(client.info()["width"], WIDTH)
        before = client.info()["state"]
        told = client.learn(x, y, dry_run=True)
        self.assertEqual((told["new_classes"], client.info()["state"]), (["4"], before))

    def test_texts_are_taught_and_asked(self):
        client = self.client()
        client.create("desk", features="text:ngrams")
        client.partial_fit(["the printer is jammed", "no paper in the printer"], "printer")
        client.partial_fit(["my password is not accepted", "the password has expired"], "password")
        self.assertEqual(client.predict(["a new password"]).tolist(), ["password"])

    def test_events_tell_of_changes(self):
        client = self.client()
        client.create("numbers")
        events = client.events()
        self.assertEqual(next(events)["action"], "")
        client.partial_fit(*blobs([0, 1]))
        seen = [next(events)]
        while seen[-1]["event"] != "state":
            seen.append(next(events))
        self.assertEqual((seen[-1]["action"], seen[-1]["classes"]), ("learn", 2))
        events.close()

    def test_a_session_larger_than_the_body_is_refused_and_questions_are_split(self):
        client = self.client("--max-body", "64KB")
        client.create("numbers")
        x, y = blobs([0, 1], rows=2000)
        with self.assertRaises(fearnet.ServerError) as caught:
            client.partial_fit(x, y)
        self.assertEqual(caught.exception.status, 413)
        client.partial_fit(x[1900:2100], y[1900:2100])
        self.assertEqual(len(client.predict(x)), 4000)

    def test_a_token_is_needed_and_given(self):
        pathlib.Path(self.file("token")).write_text("secret-secret-secret\n")
        url = self.serve("--token-file", self.file("token"))
        with fearnet.Client(url, token="secret-secret-secret") as client:
            self.assertEqual(client.brains(), [])
        for token in (None, "other"):
            with fearnet.Client(url, token=token) as client, self.assertRaises(fearnet.ServerError) as caught:
                client.brains()
            self.assertEqual(caught.exception.status, 401)


if __name__ == "__main__":
    unittest.main()
