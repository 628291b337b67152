#!/usr/bin/python3
"""The outlier detectors beside scikit-learn's on the same rows: how well each tells fitted classes from others (AUC), and
how often the two give one verdict.

usage: sklearn_routers.py PROGRAM [FILE.npz]   (PROGRAM: fearnet_outlier_decisions; Debian: python3-sklearn)

With FILE, features and labels as `fearnet run` takes them, real rows too: in their leading 40 directions, half of the classes
fitted and the others the outliers.

Isolation forests and envelopes start at random. Of forests there are several, and means are compared. An envelope ends in
one of several minima: of several, the one with the smallest determinant counts, which is what they search for. Exits 1
when the AUC differs by more than half a point, when the two give one verdict less often, by more than half a point, than
theirs among themselves (envelopes: in less than 99 % of the rows, since searches for one minimum end some rows apart), or when
the logarithm of our smallest determinant is larger than theirs by more than 0.05. Exits 77 without scikit-learn.
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
FORESTS, ENVELOPES = 8, 6
DIRECTIONS = 40
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


def real_rows(path):
    """Training rows of half of the classes to fit; test rows of these and of the others."""
    with np.load(path) as file:
        train, test = ((file[f"x_{part}"], file[f"y_{part}"]) for part in ("train", "test"))
    known = np.isin(train[1], np.unique(train[1])[::2])
    fit = train[0][known]
    mean = fit.mean(0)
    directions = np.linalg.svd(fit - mean, full_matrices=False)[2][:DIRECTIONS].T
    inside = np.isin(test[1], np.unique(train[1])[::2])
    fit, usual, strange = ((x - mean) @ directions for x in (fit, test[0][inside], test[0][~inside]))
    name = os.path.splitext(os.path.basename(path))[0]
    return f"{name}, {len(fit)} x {fit.shape[1]}", fit, usual, strange


def data_sets(path):
    rng = np.random.default_rng(1)
    usual = blobs(rng, 1500, 8, 3, 0.5)
    rng.shuffle(usual)
    yield "blobs, 500 x 8", usual[:500], usual[500:], blobs(rng, 1000, 8, 5, 0.5)
    usual = blobs(rng, 3000, 20, 5, 0.5)
    rng.shuffle(usual)
    yield "blobs, 2000 x 20", usual[:2000], usual[2000:], blobs(rng, 1000, 20, 5, 0.5)
    yield ("codes, 1500 x 60", *elu_codes(rng, 1500, 1000, 60, 5))
    if path:
        yield real_rows(path)


def sklearn_decisions(fit, test):
    """Per detector a list of decisions, one per seed; the logarithm of the envelope's determinant."""
    forests = [IsolationForest(n_estimators=TREES, contamination=0.1, random_state=s) for s in range(FORESTS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        envelopes = [EllipticEnvelope(contamination=0.1, random_state=s).fit(fit) for s in range(ENVELOPES)]
        size, envelope = min(((np.linalg.slogdet(e.raw_covariance_)[1], e) for e in envelopes), key=lambda pair: pair[0])
        others = [[m.fit(fit).decision_function(test) for m in family] for family in (forests, [OneClassSVM(nu=0.5)])]
    return [others[0], [envelope.decision_function(test)], others[1]], size


def agreement(a, b):
    return 100 * np.mean((a >= 0) == (b >= 0))


def our_decisions(program, fit, test):
    """As sklearn_decisions."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npy")
        np.savez(source, fit=fit, test=test)
        numbers = [str(n) for n in (TREES, FORESTS, ENVELOPES)]
        size = float(subprocess.run([program, source, target, *numbers], check=True, stdout=subprocess.PIPE).stdout)
        columns = list(np.load(target).T)
    return [columns[:FORESTS], columns[FORESTS:-1], columns[-1:]], size


def main(program, path=None):
    good = True
    print(f"{'data':20} {'detector':18} {'AUC here':>9} {'sklearn':>9} {'same verdict':>13}")
    for name, fit, inside, outside in data_sets(path):
        fit = fit.astype(np.float32)
        test = np.concatenate([inside, outside]).astype(np.float32)
        truth = np.repeat([1, 0], [len(inside), len(outside)])
        (our_families, our_size), (their_families, their_size) = (
            our_decisions(program, fit, test), sklearn_decisions(fit, test))
        for detector, ours, theirs in zip(NAMES, our_families, their_families):
            auc, their_auc = (np.mean([100 * roc_auc_score(truth, d) for d in family]) for family in (ours, theirs))
            same = np.mean([agreement(a, b) for a, b in itertools.product(ours, theirs)])
            usual = np.mean([agreement(a, b) for a, b in itertools.combinations(theirs, 2)] or [100])
            needed = 99 if detector == "elliptic envelope" else usual - 0.5
            bad = abs(auc - their_auc) > 0.5 or same < needed
            good = good and not bad
            print(f"{name:20} {detector:18} {auc:9.2f} {their_auc:9.2f} {same:11.2f} % "
                  f"(needs {needed:.2f}){'   DIFFERS' if bad else ''}", flush=True)
        worse = our_size > their_size + 0.05
        good = good and not worse
        print(f"{name:20} log of the envelope's determinant {our_size:.4f}, sklearn {their_size:.4f}"
              f"{'   LARGER' if worse else ''}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
