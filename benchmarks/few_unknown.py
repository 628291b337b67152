#!/usr/bin/env python3
"""How many rows of untaught classes look unknown to a learner that was taught a few classes with a few rows.

usage: PYTHONPATH=build/release/python benchmarks/few_unknown.py FILE.npz [DRAWS]

FILE has x_train, y_train, x_test and y_test. For each number of classes and of rows, DRAWS (4) times: classes and rows are
drawn and taught to FearNet plus; the test rows of these classes are known, those of all others are not. The table has the
shares of unknown rows whose familiarity is below 1 % and 5 %, the area under the ROC curve of the familiarity, and the
share of known rows below 5 %.
"""

import sys

import numpy as np
from fearnet import _fearnet


def unit(x):
    return (x / np.linalg.norm(x, axis=1, keepdims=True).clip(1e-9)).astype(np.float32)


def roc_area(known, unknown):
    values = np.concatenate([known, unknown])
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return (ranks[: len(known)].sum() - len(known) * (len(known) + 1) / 2) / (len(known) * len(unknown))


def measured(data, classes, rows, seed):
    (x, y), (x_test, y_test) = data
    rng = np.random.default_rng(seed)
    taught = rng.permutation(np.unique(y))[:classes]
    chosen = np.concatenate([rng.permutation(np.flatnonzero(y == c))[:rows] for c in taught])
    learner = _fearnet.Learner("fearnet-plus", seed=1)
    learner.learn(x[chosen], y[chosen])
    is_known = np.isin(y_test, taught)
    known, unknown = learner.familiarity(x_test[is_known]), learner.familiarity(x_test[~is_known])
    return np.mean(unknown < 0.01), np.mean(unknown < 0.05), roc_area(known, unknown), np.mean(known < 0.05)


def main(path, draws):
    with np.load(path) as file:
        names = np.unique(file["y_train"])
        data = [(unit(file["x_" + part]), np.searchsorted(names, file["y_" + part]).astype(np.int32))
                for part in ("train", "test")]
    sizes = (5, 10, 16)
    print("| taught classes |" + "".join(f" {rows} examples each |" for rows in sizes) + " known turned away at 5 % |")
    print("|---|" + "--:|" * (len(sizes) + 1))
    for classes in (2, 3, 6, 10, 20):
        cells, turned = [], []
        for rows in sizes:
            one, five, area, known = np.mean([measured(data, classes, rows, seed) for seed in range(draws)], axis=0)
            cells.append(f"{100 * one:.0f} % / {100 * five:.0f} % ({area:.2f})")
            turned.append(f"{100 * known:.0f}")
        print(f"| {classes} | " + " | ".join(cells) + " | " + ", ".join(turned) + " % |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4)
