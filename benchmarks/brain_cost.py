#!/usr/bin/env python3
"""Measures the time to teach one class to a brain of 100 classes, and to predict one row in a new process.

    benchmarks/brain_cost.py build/release/fearnet [--learner fearnet] [--repeats 15]

Uses synthetic rows of 2,048 features: 100 base classes, then 10 classes of 500 rows each in the recent memory for the
predictions. Prints the phases and, as its last line, a JSON object. Run it on an idle machine."""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

WIDTH, BASE_CLASSES, BASE_ROWS, NEW_ROWS = 2048, 100, 60, 500

# The base session is not what is timed: a short one will do.
NEW_OPTIONS = {"fearnet": ["--preset", "cifar100", "--set", "training.base_epochs=5", "--set", "training.min_steps=100"],
               "fearnet-plus": []}


def rows_of(rng, center, rows):
    x = np.abs(center + 0.5 * rng.standard_normal((rows, WIDTH)))
    return x.astype(np.float32)


def run(program, *arguments, json_out=True):
    done = subprocess.run([program, *map(str, arguments), *(["--json"] if json_out else [])], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return json.loads(done.stdout) if json_out else done.stdout


def cold_seconds(program, brain, row, repeats):
    """Whole life of a process that opens the brain and answers one row."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run(program, "predict", brain, row, "--quiet", json_out=False)
        times.append(time.perf_counter() - start)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--learner", choices=NEW_OPTIONS, default="fearnet")
    parser.add_argument("--repeats", type=int, default=15)
    a = parser.parse_args()
    program = str(a.program.resolve())
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        brain = folder / "a.brain"
        centers = np.abs(rng.standard_normal((BASE_CLASSES + a.repeats, WIDTH)))
        x = np.concatenate([rows_of(rng, c, BASE_ROWS) for c in centers[:BASE_CLASSES]])
        y = np.repeat(np.arange(BASE_CLASSES), BASE_ROWS)
        np.savez(folder / "base.npz", x=x, y=y)
        np.save(folder / "row.npy", x[:1])
        run(program, "new", brain, "--learner", a.learner, *NEW_OPTIONS[a.learner])
        run(program, "learn", brain, folder / "base.npz")
        consolidated = cold_seconds(program, brain, folder / "row.npy", a.repeats)
        learn, write, wall = [], [], []
        for k in range(10):
            np.save(folder / "new.npy", rows_of(rng, centers[BASE_CLASSES + k % a.repeats], NEW_ROWS))
            start = time.perf_counter()
            said = run(program, "learn", brain, folder / "new.npy", "--label", f"new {k}")
            wall.append(time.perf_counter() - start)
            learn.append(said["learn_seconds"])
            write.append(said["write_seconds"])
        recent = cold_seconds(program, brain, folder / "row.npy", a.repeats)
        size = brain.stat().st_size
    print(f"{a.learner}: teaching a class of {NEW_ROWS} x {WIDTH} to {BASE_CLASSES} classes, the first and the tenth since sleep")
    for name, values in ("learning", learn), ("durable commit", write), ("whole command", wall):
        print(f"  {name:26} {values[0]:7.3f} s {values[-1]:7.3f} s   worst {max(values):.3f} s")
    print("opening and answering one row, cold process")
    for name, values in ("nothing recent", consolidated), (f"10 x {NEW_ROWS} rows recent", recent):
        print(f"  {name:26} median {1000 * statistics.median(values):6.1f} ms   worst {1000 * max(values):.1f} ms")
    print(f"  the file then has {size / 1e6:.1f} MB")
    print(json.dumps({"learner": a.learner, "teach_seconds_first": wall[0], "teach_seconds_worst": max(wall),
                      "cold_answer_ms": 1000 * statistics.median(consolidated),
                      "cold_answer_ms_recent": 1000 * statistics.median(recent)}))


if __name__ == "__main__":
    main()
