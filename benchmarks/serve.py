#!/usr/bin/env python3
"""Measures predictions over HTTP: `fearnet serve` beside FastAPI with scikit-learn's LDA (serve_peer.py).

    benchmarks/serve.py build/release/fearnet [--busy] [--seconds 10] [--rounds 3] [--clients 32] [--data FILE.npz]
    benchmarks/serve.py build/release/fearnet --soak [--minutes 60] [--rate 200] [--out build/serve_soak]

Each request has one row of float32 numbers (2,048 unless --data has others), as application/octet-stream. Both servers
know the same 100 classes of 30 rows and are asked the same rows by wrk, in turn; the best round of each counts. --busy
measures the latency of predictions while the server teaches and sleeps (serve_busy.py), --soak whether memory, open
files and latency stay flat (serve_soak.py). Prints tables and, as its last line, a JSON object. Run it on an idle
machine."""
import argparse
import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
WIDTH, CLASSES, ROWS, TEST_ROWS = 2048, 100, 30, 10
LEAST_ACCURACY = 0.5  # of the true classes; what is far below answers something else


def synthetic(seed, classes=CLASSES):
    """Rows like those of a pooled network: not negative, means in a subspace, noise of few strong directions."""
    rng = np.random.default_rng(seed)
    directions = rng.standard_normal((200, WIDTH)) / np.sqrt(WIDTH)
    strengths = 1 / np.sqrt(1 + np.arange(200) / 10)
    means = rng.standard_normal((classes, 200)) * strengths

    def rows(count):
        codes = np.repeat(means, count, axis=0) + 1.7 * rng.standard_normal((classes * count, 200)) * strengths
        x = 0.3 + 10 * codes @ directions / 3 + 0.3 * rng.standard_normal((classes * count, WIDTH))
        return np.maximum(x, 0).astype(np.float32), np.repeat(np.arange(classes), count)

    return rows(ROWS), rows(TEST_ROWS)


def from_file(path, seed):
    """CLASSES classes of a file with x_train, y_train, x_test and y_test, or x and y."""
    with np.load(path) as arrays:
        split = "x_train" in arrays
        x, y = (arrays["x_train"], arrays["y_train"]) if split else (arrays["x"], arrays["y"])
        x_test, y_test = (arrays["x_test"], arrays["y_test"]) if split else (x, y)
    rng = np.random.default_rng(seed)
    taught, asked = [], []
    for c in rng.permutation(np.unique(y))[:CLASSES]:
        of_class = rng.permutation(np.flatnonzero(y == c))
        taught.append(of_class[:ROWS])
        asked.append(np.flatnonzero(y_test == c)[:TEST_ROWS] if split else of_class[ROWS : ROWS + TEST_ROWS])
    taught, asked = np.concatenate(taught), np.concatenate(asked)
    return (x[taught].astype(np.float32), y[taught]), (x_test[asked].astype(np.float32), y_test[asked])


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def serving(command, port, path):
    """Runs a server until the end of the block; it begins when the server answers `path`, with any status."""
    server = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    try:
        for _ in range(600):
            if server.poll() is not None:
                sys.exit(f"{command[0]} ended with exit code {server.returncode}")
            with contextlib.suppress(OSError):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                connection.request("GET", path)
                connection.getresponse().read()
                break
            time.sleep(0.1)
        else:
            sys.exit(f"{command[0]} does not answer")
        yield
    finally:
        server.terminate()
        server.wait()


def fearnet_serve(program, folder):
    port = free_port()
    return serving([program, "serve", folder, "--listen", f"127.0.0.1:{port}", "--quiet"], port, "/readyz"), port


def peer_serve(model, workers, *tuned):
    port = free_port()
    command = [sys.executable, "-B", HERE / "serve_peer.py", "serve", model, port, workers, *tuned]
    return serving(command, port, "/"), port


def accuracy(port, path, rows, labels):
    """The share of rows that are answered with their class. Ends the program at the first error."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    right = 0
    for row, label in zip(rows, labels):
        connection.request("POST", path, row.tobytes(), {"Content-Type": "application/octet-stream"})
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            sys.exit(f"{path}: status {response.status}: {body.decode()}")
        (answer,) = json.loads(body)["answers"]
        right += answer["label"] == str(label)
    return right / len(rows)


def load(port, path, rows_file, row_bytes, clients, seconds):
    told = run("wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "10s", "-s", HERE / "serve.lua",
               f"http://127.0.0.1:{port}{path}", "--", rows_file, row_bytes)
    result = json.loads(told.splitlines()[-1])
    if result["errors"] > 0 or result["requests"] == 0:
        sys.exit(f"{path}: {result['errors']} errors in {result['requests']} requests\n{told}")
    return {**result, "per_second": result["requests"] / result["seconds"]}


def machine():
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return f"{model.group(1) if model else 'unknown processor'}, {len(os.sched_getaffinity(0))} cores"


def compare(a, folder):
    (x, y), (x_test, y_test) = from_file(a.data, a.seed) if a.data else synthetic(a.seed)
    order = np.random.default_rng(a.seed).permutation(len(x_test))
    x_test, y_test = x_test[order], y_test[order]
    np.savez(folder / "train.npz", x=x, y=y.astype(str))
    x_test.tofile(folder / "rows.f32")
    run(a.program, "learn", folder / "bench.brain", folder / "train.npz")
    run(sys.executable, "-B", HERE / "serve_peer.py", "fit", folder / "train.npz", folder / "peer.model")

    servers = {
        "fearnet serve": (lambda: fearnet_serve(a.program, folder / "bench.brain"), "/v1/brains/bench/predict"),
        "FastAPI + LDA, 1 worker": (lambda: peer_serve(folder / "peer.model", 1), "/predict"),
        "FastAPI + LDA, 2 workers": (lambda: peer_serve(folder / "peer.model", 2), "/predict"),
        "tuned, 1 worker": (lambda: peer_serve(folder / "peer.model", 1, "tuned"), "/predict"),
        "tuned, 2 workers": (lambda: peer_serve(folder / "peer.model", 2, "tuned"), "/predict"),
    }
    best, right = {}, {}
    for round_ in range(a.rounds):
        for name, (start, path) in servers.items():
            server, port = start()
            with server:
                if round_ == 0:
                    right[name] = accuracy(port, path, x_test, y_test)
                load(port, path, folder / "rows.f32", 4 * x_test.shape[1], a.clients, 1)  # warms up
                result = load(port, path, folder / "rows.f32", 4 * x_test.shape[1], a.clients, a.seconds)
            if name not in best or result["per_second"] > best[name]["per_second"]:
                best[name] = result
    print(f"predictions of one row of {x_test.shape[1]} features, {len(np.unique(y))} classes, {a.clients} clients\n")
    print(f"{'server':26} requests/s   p50 ms   p99 ms   right")
    for name, r in best.items():
        print(f"{name:26} {r['per_second']:10.0f} {r['p50_ms']:8.2f} {r['p99_ms']:8.2f} {100 * right[name]:6.1f} %")
    for name, share in right.items():
        if share < LEAST_ACCURACY:
            sys.exit(f"{name} answers {100 * share:.1f} % of the rows with their class")
    ours, *peers = best.values()
    theirs, tuned = (max(kind, key=lambda result: result["per_second"]) for kind in (peers[:2], peers[2:]))
    return {
        "ratio": ours["per_second"] / theirs["per_second"],
        "p99_ratio": ours["p99_ms"] / theirs["p99_ms"],
        "tuned_ratio": ours["per_second"] / tuned["per_second"],
        "tuned_p99_ratio": ours["p99_ms"] / tuned["p99_ms"],
        "fearnet": ours,
        "peer": theirs,
        "tuned_peer": tuned,
        "accuracy": right,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--soak", action="store_true")
    parser.add_argument("--minutes", type=float, default=60, help="of --soak")
    parser.add_argument("--rate", type=int, default=200, help="predictions per second of --soak")
    parser.add_argument("--out", type=Path, default=HERE.parent / "build" / "serve_soak",
                        help="files of --soak, without .csv and .svg")
    parser.add_argument("--seconds", type=int, default=10, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--data", type=Path, help=".npz with x_train, y_train, x_test and y_test, or x and y")
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    a.program = a.program.resolve()
    with tempfile.TemporaryDirectory(prefix="fearnet-serve-") as folder:
        if a.busy:
            from serve_busy import measure_busy as measure
        elif a.soak:
            from serve_soak import measure_soak as measure
        else:
            measure = compare
        result = measure(a, Path(folder))
    print(json.dumps({**result, "machine": machine(), "seed": a.seed}))


if __name__ == "__main__":
    main()
