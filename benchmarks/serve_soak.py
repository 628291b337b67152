"""serve.py --soak: whether memory, open files and latency of the server stay flat for a long time.

A brain of FearNet plus is asked at a fixed rate by clients that keep their connections. Every second a new class is
taught and the class that was taught KEPT seconds before is forgotten, so the number of classes stays the same; every
SLEEP_EVERY seconds the brain sleeps. Meanwhile one client goes through all other routes, sends requests that must be
refused, and leaves connections in the middle of a request and of a stream of events. The history of a brain keeps an
entry for every change, so the file and the memory grow by some hundred bytes a change: `history_bytes` of the result.

Writes a CSV file with one line per interval and an SVG plot. Flat means: the medians of the last third of the intervals
are at most MOST_* times those of the first third, without the WARM_UP: the allocator keeps what the first minutes need.
"""
import asyncio
import contextlib
import csv
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from growth_plot import STYLE, line, text
from serve import free_port, run

WIDTH, CLASSES, ROWS = 512, 50, 30  # of the brain
KEPT = 20  # taught classes before the oldest is forgotten
SLEEP_EVERY, INTERVAL = 20, 10  # seconds
WARM_UP = 1 / 6  # of the time
CLIENTS = 8
MOST_MEMORY, MOST_LATENCY, MOST_FILES = 1.10, 1.5, 5  # times, times, more open files
PATIENCE = 120  # seconds for a response


class Latencies:
    """What the asking clients measured since the last look."""

    def __init__(self):
        self.lock, self.seconds = threading.Lock(), []

    def add(self, seconds):
        with self.lock:
            self.seconds.append(seconds)

    def take(self):
        with self.lock:
            taken, self.seconds = self.seconds, []
        return taken


class Worker(threading.Thread):
    """Repeats `step` until it is stopped; keeps the first error."""

    def __init__(self, step):
        super().__init__(daemon=True)
        self.step, self.stopped, self.error, self.steps = step, False, None, 0

    def run(self):
        try:
            while not self.stopped:
                self.step(self.steps)
                self.steps += 1
        except Exception as problem:  # reported by the main thread
            self.error = f"{type(problem).__name__}: {problem}"


class Asking(threading.Thread):
    """Asks one row at a time at a fixed rate; latency counts from the time at which a request was due."""

    def __init__(self, port, rows, rate, latencies):
        super().__init__(daemon=True)
        self.port, self.rate, self.latencies = port, rate, latencies
        self.rows = [row.tobytes() for row in rows]
        self.head = (f"POST /v1/brains/soak/predict?top=3 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                     f"Content-Type: application/octet-stream\r\nContent-Length: {4 * WIDTH}\r\n\r\n").encode()
        self.stopped, self.error = False, None

    def run(self):
        try:
            asyncio.run(self._all())
        except Exception as problem:  # reported by the main thread
            self.error = f"{type(problem).__name__}: {problem}"

    async def _all(self):
        begin = time.perf_counter() + 0.05
        await asyncio.gather(*[self._client(i, begin + i / self.rate) for i in range(CLIENTS)])

    async def _client(self, row, due):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        while not self.stopped:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            writer.write(self.head + self.rows[row % len(self.rows)])
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(head.split("content-length:")[1].split("\r\n")[0])
            body = await reader.readexactly(length)
            if not head.startswith("http/1.1 200"):
                raise RuntimeError(f"predict: {head.splitlines()[0]} {body.decode()}")
            self.latencies.add(time.perf_counter() - due)
            row += CLIENTS
            due += CLIENTS / self.rate
        writer.close()


class Client:
    """One request after the other, on a connection that is made again after an error of the test's own making."""

    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def ask(self, method, path, body=None, kind="application/json", status=200):
        headers = {"Content-Type": kind} if body is not None else {}
        if method == "POST" and body is None:
            headers["Content-Length"] = "0"
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        told = response.read()
        if response.status != status:
            raise RuntimeError(f"{method} {path}: {response.status} {told[:300].decode(errors='replace')}")
        return told


def teaching(port, rows_of_class):
    client, begin = Client(port), time.monotonic()
    brain = "/v1/brains/soak"

    def step(number):
        time.sleep(max(0.0, begin + number - time.monotonic()))
        rows = rows_of_class(number).tobytes()
        client.ask("POST", f"{brain}/learn?label=taught%20{number}", rows, "application/octet-stream")
        if number >= KEPT:
            client.ask("POST", f"{brain}/forget", json.dumps({"label": f"taught {number - KEPT}"}).encode())
        if number % SLEEP_EVERY == SLEEP_EVERY - 1:
            client.ask("POST", f"{brain}/sleep")

    return step


def everything_else(port, rows):
    """The other routes, refused requests, and clients that go away; one of them every 0.2 seconds."""
    client = Client(port)
    brain = "/v1/brains/soak"
    few, many = rows[:4].tobytes(), np.repeat(rows, 3, axis=0).tobytes()
    binary, form = "application/octet-stream", "multipart/form-data; boundary=B"
    part = b"--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nhello\r\n--B--\r\n"

    def leave(request, wait):
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as s:
            s.sendall(request.encode())
            if wait:
                s.recv(1000)

    requests = [
        lambda: [client.ask("GET", f"{brain}/{what}") for what in ("info", "history", "review", "map", "check")],
        lambda: client.ask("GET", f"{brain}/snapshot"),
        lambda: client.ask("GET", f"{brain}/export.onnx"),
        lambda: [client.ask("GET", path) for path in ("/", "/openapi.json", "/healthz", "/metrics", "/v1/brains")],
        lambda: client.ask("POST", f"{brain}/predict?confidence=90%25", few, binary),
        lambda: client.ask("POST", f"{brain}/predict", many, binary),
        lambda: client.ask("POST", f"{brain}/predict", json.dumps({"rows": rows[:2].tolist()}).encode()),
        lambda: client.ask("POST", f"{brain}/learn?label=tried&dry_run=1", few, binary),
        lambda: client.ask("POST", f"{brain}/review?label=class%201", few, binary),
        lambda: client.ask("POST", f"{brain}/discover", many, binary),
        lambda: client.ask("POST", f"{brain}/predict", few[:-1], binary, 400),
        lambda: client.ask("POST", f"{brain}/predict", part, form, 400),
        lambda: client.ask("POST", f"{brain}/forget", b"[[[[[", status=400),
        lambda: client.ask("GET", "/v1/brains/none/info", status=404),
        lambda: leave(f"GET {brain}/events HTTP/1.1\r\nHost: localhost\r\n\r\n", True),
        lambda: leave(f"POST {brain}/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\nabc", False),
        lambda: leave(f"GET {brain}/snapshot HTTP/1.1\r\nHost: localhost\r\n\r\n", True),
    ]

    def step(number):
        time.sleep(0.2)
        requests[number % len(requests)]()

    return step


def sample(pid):
    """Resident MB, open files, threads, and seconds of processor time of a process."""
    proc = Path(f"/proc/{pid}")
    pages = int((proc / "statm").read_text().split()[1])
    times = (proc / "stat").read_text().rsplit(")", 1)[1].split()
    ticks = int(times[11]) + int(times[12])
    return (pages * os.sysconf("SC_PAGESIZE") / 1e6, len(os.listdir(proc / "fd")), int(times[17]),
            ticks / os.sysconf("SC_CLK_TCK"))


def measure_intervals(a, server, workers, latencies, brain, write):
    """One line for each interval, until the time is over."""
    begin, table = time.monotonic(), []
    processor = sample(server.pid)[3]
    while time.monotonic() - begin < 60 * a.minutes:
        time.sleep(INTERVAL)
        for worker in workers:
            if worker.error or not worker.is_alive():
                sys.exit(f"a client failed: {worker.error}")
        if server.poll() is not None:
            sys.exit(f"the server ended with exit code {server.returncode}")
        memory, files, threads, used = sample(server.pid)
        taken = 1000 * np.array(latencies.take() or [np.nan])
        table.append({
            "minute": round((time.monotonic() - begin) / 60, 3), "memory_mb": round(memory, 2), "open_files": files,
            "threads": threads, "p50_ms": round(float(np.percentile(taken, 50)), 3),
            "p99_ms": round(float(np.percentile(taken, 99)), 3), "requests": len(taken),
            "taught": workers[1].steps, "others": workers[2].steps, "processor": round((used - processor) / INTERVAL, 3),
            "file_mb": round(brain.stat().st_size / 1e6, 2)})
        processor = used
        write(table[-1])
    return table


def verdict(table):
    """Medians of the last third beside those of the first, and slopes per hour, without the warm-up."""
    steady = [row for row in table if row["minute"] > WARM_UP * table[-1]["minute"]]
    if len(steady) < 6:
        return {"flat": None, "reason": "too short"}
    third = len(steady) // 3
    hours = np.array([row["minute"] / 60 for row in steady])
    result = {}
    for key in ("memory_mb", "open_files", "p50_ms", "p99_ms"):
        values = np.array([row[key] for row in steady])
        first, last = float(np.median(values[:third])), float(np.median(values[-third:]))
        result[key] = {"first_third": first, "last_third": last,
                       "slope_per_hour": round(float(np.polyfit(hours, values, 1)[0]), 3)}

    def grew(key):
        return result[key]["last_third"] / result[key]["first_third"]

    files = result["open_files"]
    result["flat"] = bool(grew("memory_mb") <= MOST_MEMORY and grew("p50_ms") <= MOST_LATENCY and
                          grew("p99_ms") <= MOST_LATENCY and
                          files["last_third"] - files["first_third"] <= MOST_FILES)
    return result


def round_up(value):
    """The next number that is easy to halve."""
    unit = 10.0 ** np.floor(np.log10(max(value, 1e-9)))
    return next(unit * step for step in (1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10) if unit * step >= value)


def plot(table, path):
    """Four panels over time, each from zero."""
    panels = [("memory_mb", "Resident memory (MB)"), ("open_files", "Open files"), ("p50_ms", "Latency, median (ms)"),
              ("p99_ms", "Latency, 99th percentile (ms)")]
    width, height, left, top, gap = 850, 120, 60, 60, 50
    minutes = [row["minute"] for row in table]

    def x(minute):
        return left + (width - left - 20) * minute / max(minutes)

    bottom = top + len(panels) * (height + gap)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom}" width="{width}" height="{bottom}" '
           'role="img" aria-labelledby="soak-t">', f"<style>{STYLE}</style>",
           '<title id="soak-t">fearnet serve under load: memory, open files and latency over time</title>',
           text(14, 28, f"fearnet serve under load for {max(minutes):.0f} minutes", "title")]
    for i, (key, title) in enumerate(panels):
        base, values = top + i * (height + gap) + height, [row[key] for row in table]
        most = round_up(max(values))
        out.append(text(14, base - height - 8, title, "strong"))
        for share in (0, 0.5, 1):
            y = base - height * share
            out += [line(left, y, width - 20, y, "axis" if share == 0 else "grid"),
                    text(left - 7, y + 4, f"{most * share:.3g}", "tick", "end")]
        for minute in np.linspace(0, max(minutes), 7):
            out.append(text(x(minute), base + 16, f"{minute:.3g} min", "tick", "middle"))
        line_points = " ".join(f"{x(m):.1f},{base - height * v / most:.1f}" for m, v in zip(minutes, values))
        out.append(f'<polyline points="{line_points}" class="c0"/>')
    path.write_text("\n".join(out + ["</svg>", ""]), encoding="utf-8")


def measure_soak(a, folder):
    rng = np.random.default_rng(a.seed)
    centers = rng.standard_normal((CLASSES, WIDTH)).astype(np.float32)
    x = np.repeat(centers, ROWS, axis=0) + 0.8 * rng.standard_normal((CLASSES * ROWS, WIDTH)).astype(np.float32)
    np.savez(folder / "base.npz", x=x, y=np.repeat(np.arange(CLASSES), ROWS).astype(str))
    brain = folder / "soak.brain"
    run(a.program, "learn", brain, folder / "base.npz")

    def rows_of_class(number):
        own = np.random.default_rng((a.seed, number))
        return (own.standard_normal(WIDTH) + 0.8 * own.standard_normal((ROWS, WIDTH))).astype(np.float32)

    port = free_port()
    server = subprocess.Popen([a.program, "serve", brain, "--listen", f"127.0.0.1:{port}", "--metrics"],
                              stdout=subprocess.DEVNULL)
    latencies = Latencies()
    out = a.out.resolve()
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: (server.terminate(), server.wait()))
        for _ in range(600):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                break
            time.sleep(0.1)
        begun = brain.stat().st_size
        workers = [Asking(port, x[: 4 * ROWS], a.rate, latencies), Worker(teaching(port, rows_of_class)),
                   Worker(everything_else(port, x[: 2 * ROWS]))]
        file = stack.enter_context(open(out.with_suffix(".csv"), "w", newline="", encoding="utf-8"))
        writer = []

        def write(row):
            if not writer:
                writer.append(csv.DictWriter(file, list(row)))
                writer[0].writeheader()
            writer[0].writerow(row)
            file.flush()

        for worker in workers:
            worker.start()
        table = measure_intervals(a, server, workers, latencies, brain, write)
        for worker in workers:
            worker.stopped = True
        for worker in workers:
            worker.join(PATIENCE)
    plot(table, out.with_suffix(".svg"))
    check = subprocess.run([a.program, "check", brain], capture_output=True, text=True)
    changes = json.loads(run(a.program, "info", brain, "--json"))["history"][-1]["number"]
    result = verdict(table)
    for key, title in (("memory_mb", "resident memory, MB"), ("open_files", "open files"), ("p50_ms", "p50, ms"),
                       ("p99_ms", "p99, ms")):
        if key in result:
            r = result[key]
            print(f"{title:20} first third {r['first_third']:8.2f}  last third {r['last_third']:8.2f}  "
                  f"slope {r['slope_per_hour']:8.2f} per hour")
    print(f"{'flat' if result['flat'] else 'NOT FLAT'}; {out.with_suffix('.csv')}, {out.with_suffix('.svg')}")
    return {**result, "minutes": a.minutes, "rate": a.rate, "requests": sum(row["requests"] for row in table),
            "taught": table[-1]["taught"], "others": table[-1]["others"], "changes": changes,
            "history_bytes": brain.stat().st_size - begun, "processor": float(np.mean([r["processor"] for r in table])),
            "check": check.returncode == 0, "server_exit_code": server.returncode}
