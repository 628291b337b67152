#!/usr/bin/env python3
"""The expected accuracy that a brain of FearNet plus reports, beside its accuracy on test rows, after every sleep.

usage: PYTHONPATH=build/release/python benchmarks/expected_accuracy.py FILE.npz [SEED]

FILE has x_train, y_train, x_test and y_test. Half of the classes, in an order drawn with SEED (1), are the base session;
the others follow one by one, and the brain sleeps after every tenth. Both numbers are means over the classes.
"""

import sys

import fearnet
import numpy as np


def compare(brain, data, classes):
    expected = np.mean([c["expected_accuracy"] for c in brain.info()["classes"]])
    measured = []
    for c in classes:
        answers = np.asarray(brain.labels(data["x_test"][data["y_test"] == c]))
        measured.append(np.mean(answers == str(c)))
    points = 100 * (expected - np.mean(measured))
    print(f"{len(classes):5} classes: expected {100 * expected:.1f} %, measured {100 * np.mean(measured):.1f} %, "
          f"{points:+.1f} points", flush=True)
    return abs(points)


def main(path, seed):
    with np.load(path) as file:
        data = {name: file[name] for name in ("x_train", "y_train", "x_test", "y_test")}
    order = np.random.default_rng(seed).permutation(np.unique(data["y_train"]))
    base = len(order) // 2
    rows = np.isin(data["y_train"], order[:base])
    brain = fearnet.Brain(settings={"features.frames": fearnet.find_frames(data["x_train"][rows])})
    brain.learn(data["x_train"][rows], [str(c) for c in data["y_train"][rows]])
    print(f"{path}, seed {seed}")
    largest = [compare(brain, data, order[:base])]
    for taught, c in enumerate(order[base:], 1):
        x = data["x_train"][data["y_train"] == c]
        brain.learn(x, [str(c)] * len(x))
        if taught % 10 == 0 or base + taught == len(order):
            brain.sleep()
            largest.append(compare(brain, data, order[: base + taught]))
    print(f"base {largest[0]:.1f} points apart, at most {max(largest):.1f} over the stream")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
