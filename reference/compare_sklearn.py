#!/usr/bin/python3
"""Our closed-form learners beside scikit-learn's, on the same rows.

usage: compare_sklearn.py --program fearnet_predictions [--data FILE.npz]     (Debian: python3-sklearn, python3-numpy)

Ours are taught class by class, scikit-learn everything at once. Prints a table; exits with 1 when a row of it fails.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

POINTS = 0.5  # largest difference of the mean-class accuracies, in percent
SHRINKAGE, LAMBDA = 0.1, 0.1


def made_up(path):
    """Forty overlapping classes of non-negative features."""
    rng = np.random.RandomState(7)
    classes, width = 40, 48
    centers = rng.gamma(2.0, 0.5, (classes, width))
    mix = rng.normal(0, 0.15, (width, width))

    def rows(each):
        y = np.repeat(np.arange(classes), each)
        x = np.abs(centers[y] + rng.normal(0, 1, (len(y), width)) @ mix)
        order = rng.permutation(len(y))
        return x[order].astype(np.float32), y[order].astype(np.int32)

    x_train, y_train = rows(30)
    x_test, y_test = rows(25)
    np.savez(path, x_train=x_train, y_train=y_train, x_test=x_test, y_test=y_test)


class Data:
    """Rows of length one, as the loader makes them; training rows class by class, as our sessions have them."""

    def __init__(self, path):
        with np.load(path) as f:
            order = np.argsort(f["y_train"], kind="stable")
            self.x = unit_length(f["x_train"][order])
            self.y = f["y_train"][order]
            self.x_test = unit_length(f["x_test"])
            self.y_test = f["y_test"]
        self.path = path


def unit_length(x):
    x = x.astype(np.float32)
    length = np.sqrt((x.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    return (x / np.where(length > 0, length, 1)).astype(np.float32)


def mean_class_accuracy(answers, truth):
    return 100 * np.mean([np.mean(answers[truth == c] == c) for c in np.unique(truth)])


def ours(program, data, learner, *options):
    done = subprocess.run([program, data.path, learner, *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    pairs = np.array([line.split() for line in done.stdout.splitlines()], dtype=int)
    names = dict(zip(pairs[:, 0], data.y_test))  # our class numbers -> the file's
    return np.array([names[a] for a in pairs[:, 1]])


def nearest_neighbor(data):
    return KNeighborsClassifier(1, algorithm="brute").fit(data.x, data.y).predict(data.x_test)


def nearest_mean(data):
    return NearestCentroid().fit(data.x, data.y).predict(data.x_test)


def lda(data):
    # Ours adds the share s of the mean diagonal; theirs mixes: (1 - t) S + t I with t = s / (1 + s) is the same up to
    # a factor. Every row counts the same in the covariance, as in ours, so their priors are those of the data; the answer
    # is that of equal ones.
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=SHRINKAGE / (1 + SHRINKAGE))
    model.fit(data.x.astype(np.float64), data.y)
    model.intercept_ -= np.log(model.priors_)
    return model.predict(data.x_test.astype(np.float64))


def ridge(data):
    x = data.x.astype(np.float64)
    alpha = LAMBDA * ((x - x.mean(axis=0)) ** 2).sum() / x.shape[1]
    return RidgeClassifier(alpha=alpha, solver="cholesky").fit(x, data.y).predict(data.x_test.astype(np.float64))


# (our learner, its options, scikit-learn's name, its answers, must every answer be the same?)
ROWS = [
    ("nearest-neighbor", [], "KNeighborsClassifier(1)", nearest_neighbor, True),
    ("nearest-mean", [], "NearestCentroid", nearest_mean, False),
    ("streaming-lda", [f"lda.shrinkage={SHRINKAGE}", "lda.transform=none"], "LinearDiscriminantAnalysis", lda, False),
    ("ridge", [f"ridge.lambda={LAMBDA}"], "RidgeClassifier", ridge, False),
]


def compare(program, data):
    print(f"{'learner':<18}{'scikit-learn':<28}{'ours %':>8}{'theirs %':>10}{'same answers':>22}")
    failed = []
    for learner, options, their_name, theirs, identical in ROWS:
        a, b = ours(program, data, learner, *options), theirs(data)
        ours_accuracy, their_accuracy = (mean_class_accuracy(p, data.y_test) for p in (a, b))
        same = int(np.sum(a == b))
        ok = same == len(a) if identical else abs(ours_accuracy - their_accuracy) <= POINTS
        print(f"{learner:<18}{their_name:<28}{ours_accuracy:>8.2f}{their_accuracy:>10.2f}"
              f"{f'{same} of {len(a)}':>22}{'' if ok else '  DISAGREES'}", flush=True)
        failed += [] if ok else [learner]
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="the program fearnet_predictions")
    parser.add_argument("--data", help="an npz with x_train, y_train, x_test, y_test; made up when not given")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.data or os.path.join(folder, "made_up.npz")
        if not arguments.data:
            made_up(path)
        failed = compare(arguments.program, Data(path))
    if failed:
        sys.exit(f"disagrees with scikit-learn: {', '.join(failed)}")


if __name__ == "__main__":
    main()
