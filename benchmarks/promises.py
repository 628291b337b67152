#!/usr/bin/env python3
"""Whether the promises of familiarity and sets hold, on the test rows and on a random part of all rows.

usage: PYTHONPATH=build/release/python benchmarks/promises.py DATA [SEEDS]

DATA is anything that fearnet.load_table reads with a training and a test part, such as `languages` or an .npz file. All
classes are taught at once to FearNet plus. Prints the share of test rows with a familiarity of at least 5 %, and the
share whose class is in the 90 % set: for the test rows of DATA, and for SEEDS (2) random splits, in which each class
has as many test rows as in DATA. Where these differ, the test rows are not from the source of the training rows.
"""

import sys

import fearnet
import numpy as np


def promises(x, y, x_test, y_test):
    learner = fearnet.Learner("fearnet-plus")
    learner.learn(x, y)
    familiar = np.mean(np.asarray(learner.familiarity(x_test)) >= 0.05)
    own = np.asarray(learner.class_p_values(x_test))[np.arange(len(y_test)), y_test]
    return f"{100 * familiar:.1f} % familiar at 5 %, {100 * np.mean(own >= 0.1):.1f} % in the 90 % set"


def main(data, seeds):
    parts = [fearnet.load_table(data, part) for part in ("train", "test")]
    x = np.concatenate([np.asarray(part[0], dtype=np.float32) for part in parts])
    names, y = np.unique(np.concatenate([np.asarray(part[1]) for part in parts]), return_inverse=True)
    y, n = y.astype(np.int32), len(parts[0][1])
    print(f"{data}, {len(names)} classes, test rows of the data: {promises(x[:n], y[:n], x[n:], y[n:])}")
    for seed in range(1, seeds + 1):
        rng = np.random.default_rng(seed)
        test = np.concatenate([rng.permutation(np.flatnonzero(y == c))[: np.sum(y[n:] == c)] for c in range(len(names))])
        train = np.setdiff1d(np.arange(len(y)), test)
        print(f"random split, seed {seed}: {promises(x[train], y[train], x[test], y[test])}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2)
