#!/usr/bin/python3
"""The outlier detectors beside scikit-learn's on the same rows: how well each tells fitted classes from others (AUC), and
how often the two give one verdict.

usage: sklearn_routers.py PROGRAM        (PROGRAM: fearnet_outlier_decisions; Debian: python3-sklearn)

Exits 1 when an AUC differs by more than half a point, or when fewer than 99.5 % of the verdicts agree. Isolation forests
and envelopes start at random: several of scikit-learn's say by how much those differ among themselves, and ours may be
half a point beyond that. Exits 77 without scikit-learn.
"""
import itertools
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    from sklearn.covariance import EllipticEnvelope
    from sklearn.ensemble import IsolationForest
    from sklearn.metrics import roc_auc_score
    from sklearn.svm import OneClassSVM
except ImportError:
    sys.exit(77)

TREES = 300  # more than usual, so that seeds matter less
FOREST_SEEDS, ENVELOPE_SEEDS = range(5), range(2)
NAMES = ("isolation forest", "elliptic envelope", "one-class SVM")


def blobs(rng, rows, cols, classes, spread):
    """Gaussians of different shape around random centers."""
    parts = []
    for _ in range(classes):
        mix = rng.normal(size=(cols, cols)) / cols ** 0.5
        parts.append(rng.normal(size=cols) + spread * rng.normal(size=(rows // classes, cols)) @ mix)
    return np.concatenate(parts)


def elu_codes(rng, fit_rows, test_rows, cols, classes):
    """Rows like an encoder's codes: classes in a wider space, a random layer, ELU; some are left for the outliers."""
    weights = rng.normal(size=(4 * cols, cols)) / (4 * cols) ** 0.5
    centers = rng.normal(size=(2 * classes, 4 * cols))

    def rows_of(c, rows):
        x = (centers[c] + 0.7 * rng.normal(size=(rows, 4 * cols))) @ weights
        return np.where(x > 0, x, np.expm1(x))

    def of(which, rows):
        return np.concatenate([rows_of(c, rows // classes) for c in which])

    return of(range(classes), fit_rows), of(range(classes), test_rows), of(range(classes, 2 * classes), test_rows)


def data_sets():
    rng = np.random.default_rng(1)
    usual = blobs(rng, 1500, 8, 3, 0.5)
    rng.shuffle(usual)
    yield "blobs, 500 x 8", usual[:500], usual[500:], blobs(rng, 1000, 8, 5, 0.5)
    usual = blobs(rng, 3000, 20, 5, 0.5)
    rng.shuffle(usual)
    yield "blobs, 2000 x 20", usual[:2000], usual[2000:], blobs(rng, 1000, 20, 5, 0.5)
    yield ("codes, 1500 x 60", *elu_codes(rng, 1500, 1000, 60, 5))


def sklearn_decisions(fit, test):
    """Per detector a list of decisions: one, or one per seed."""
    forests = [IsolationForest(n_estimators=TREES, contamination=0.1, random_state=s) for s in FOREST_SEEDS]
    envelopes = [EllipticEnvelope(contamination=0.1, random_state=s) for s in ENVELOPE_SEEDS]
    families = (forests, envelopes, [OneClassSVM(nu=0.5)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [[m.fit(fit).decision_function(test) for m in family] for family in families]


def agreement(a, b):
    return 100 * np.mean((a >= 0) == (b >= 0))


def main(program):
    good = True
    print(f"{'data':18} {'detector':18} {'AUC here':>9} {'sklearn':>9} {'same verdict':>13}")
    for name, fit, inside, outside in data_sets():
        fit = fit.astype(np.float32)
        test = np.concatenate([inside, outside]).astype(np.float32)
        truth = np.repeat([1, 0], [len(inside), len(outside)])
        with tempfile.TemporaryDirectory() as folder:
            source, target = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npy")
            np.savez(source, fit=fit, test=test)
            subprocess.run([program, source, target, str(TREES)], check=True)
            ours = np.load(target).T
        for detector, mine, theirs in zip(NAMES, ours, sklearn_decisions(fit, test)):
            auc = 100 * roc_auc_score(truth, mine)
            their_aucs = [100 * roc_auc_score(truth, d) for d in theirs]
            same = np.mean([agreement(mine, d) for d in theirs])
            usual = min([agreement(a, b) for a, b in itertools.combinations(theirs, 2)], default=100)
            bad = not min(their_aucs) - 0.5 <= auc <= max(their_aucs) + 0.5 or same < usual - 0.5
            good = good and not bad
            print(f"{name:18} {detector:18} {auc:9.2f} {np.mean(their_aucs):9.2f} {same:11.2f} % "
                  f"(needs {usual - 0.5:.2f}){'   DIFFERS' if bad else ''}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
