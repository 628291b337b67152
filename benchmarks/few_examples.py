#!/usr/bin/env python3
"""The accuracy on classes that were taught with one, three or ten examples, after classes of many.

usage: PYTHONPATH=build/release/python benchmarks/few_examples.py FILE.npz [SEED,...]

FILE has x_train, y_train, x_test and y_test. Half of the classes, in an order drawn with each SEED (1,2), are taught with
all training rows, at most 6,000; then at most 30 of the others, one per session, with K rows each. Accuracies are means
over the test rows of the classes, all taught classes being possible answers, and over the seeds.
"""

import sys

import numpy as np
from fearnet import _fearnet

MOST_ROWS, MOST_CLASSES = 6000, 30


def unit(x):
    return (x / np.linalg.norm(x, axis=1, keepdims=True).clip(1e-9)).astype(np.float32)


def accuracy(learner, x, y, classes):
    rows = np.isin(y, classes)
    right = learner.predict(x[rows]) == y[rows]
    return 100 * np.mean([np.mean(right[y[rows] == c]) for c in classes])


def measured(name, data, k, seed):
    (x, y), (x_test, y_test) = data
    rng = np.random.default_rng(seed)
    order = rng.permutation(np.unique(y))
    base, new = order[: len(order) // 2], order[len(order) // 2 :][:MOST_CLASSES]
    rows = rng.permutation(np.flatnonzero(np.isin(y, base)))[:MOST_ROWS]
    learner = _fearnet.Learner(name, seed=1)
    learner.learn(x[rows], y[rows])
    for c in new:
        few = rng.permutation(np.flatnonzero(y == c))[:k]
        learner.learn(x[few], y[few])
    return accuracy(learner, x_test, y_test, base), accuracy(learner, x_test, y_test, new)


def main(path, seeds):
    with np.load(path) as file:
        names = np.unique(file["y_train"])
        data = [(unit(file["x_" + part]), np.searchsorted(names, file["y_" + part]).astype(np.int32))
                for part in ("train", "test")]
    print(f"{path}: accuracy on classes of all rows / of K rows")
    for k in (1, 3, 10):
        for name in ("fearnet-plus", "streaming-lda", "nearest-mean"):
            base, new = np.mean([measured(name, data, k, seed) for seed in seeds], axis=0)
            print(f"  K = {k:2}  {name:13}  {base:.1f} % / {new:.1f} %", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], [int(s) for s in (sys.argv[2] if len(sys.argv) > 2 else "1,2").split(",")])
