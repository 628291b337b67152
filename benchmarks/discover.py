#!/usr/bin/env python3
"""The groups that a brain of FearNet plus finds among rows of classes that it was not taught, beside other clusterings.

usage: PYTHONPATH=build/release/python benchmarks/discover.py FILE.npz [SEED [BELOW]]

FILE has x_train, y_train, x_test and y_test. A tenth of the classes, at most 20, drawn with SEED (1), are not taught.
Their test rows and 2,000 test rows of taught classes are given to Brain.discover(below=BELOW). Its groups are compared
by adjusted mutual information (AMI) with k-means, average linkage and DBSCAN of the same rows: as they are, scaled to
length one, and in units of the variation within classes. k-means and average linkage are told the number of classes
among these rows; DBSCAN gets the best of eight radii. Needs scikit-learn.
"""

import sys

import fearnet
import numpy as np
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.metrics import adjusted_mutual_info_score as ami


def others(x, truth):
    k = len(np.unique(truth))
    squares = (x**2).sum(1)
    distances = np.sqrt(np.maximum(0, squares[:, None] + squares - 2 * x @ x.T))
    radii = np.quantile(distances[distances > 1e-3], np.linspace(0.01, 0.3, 8))
    yield f"k-means told {k}", KMeans(k, n_init=5, random_state=0).fit_predict(x)
    yield f"average linkage told {k}", AgglomerativeClustering(k, linkage="average").fit_predict(x)
    found = [DBSCAN(eps=r, min_samples=3).fit_predict(x) for r in radii]
    yield "DBSCAN, best of 8 radii", max(found, key=lambda labels: ami(truth, labels))


def compare(truth, groups, spaces):
    print(f"  AMI {ami(truth, groups):.3f}  discover: {len(truth)} rows of {len(np.unique(truth))} classes in "
          f"{len(np.unique(groups))} groups")
    for space, x in spaces.items():
        for which, labels in others(x, truth):
            print(f"  AMI {ami(truth, labels):.3f}  {which}, {space}", flush=True)


def main(path, seed, below):
    rng = np.random.default_rng(seed)
    with np.load(path) as file:
        x_train, y_train, x_test, y_test = (file[n] for n in ("x_train", "y_train", "x_test", "y_test"))
    classes = rng.permutation(np.unique(y_train))
    unknown = classes[: min(20, len(classes) // 10)]
    taught = ~np.isin(y_train, unknown)
    brain = fearnet.Brain()
    brain.learn(x_train[taught], [str(c) for c in y_train[taught]])
    strange = np.flatnonzero(np.isin(y_test, unknown))
    known = rng.permutation(np.flatnonzero(~np.isin(y_test, unknown)))[:2000]
    rows = np.concatenate([strange, known])
    x, truth = x_test[rows], y_test[rows]
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    spaces = {"rows of length one": unit, "whitened rows": brain.learner().whitened(unit)}
    print(f"{path}, seed {seed}: {len(unknown)} classes not taught, {len(strange)} rows of them, {len(known)} others")
    for name, which, options in (
        ("all rows", np.arange(len(rows)), {"below": below}),
        ("only rows of classes that were not taught", np.arange(len(strange)), {"below": 1.0}),
    ):
        labels = np.full(len(rows), -1)
        for g, group in enumerate(brain.discover(x[which], **options)):
            labels[which[group["rows"]]] = g
        grouped = labels >= 0
        right = np.isin(truth[grouped], unknown)
        print(f"{name}: {right.sum()} of {len(strange)} rows of classes that were not taught are in groups, and "
              f"{(~right).sum()} others")
        compare(truth[grouped], labels[grouped], {space: rows[grouped] for space, rows in spaces.items()})


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__.strip())
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1, float(sys.argv[3]) if len(sys.argv) > 3 else 0.2)
