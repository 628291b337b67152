"""How often a class that has not changed is reported as changed, and how often one that has changed is.

usage: PYTHONPATH=build/release/python benchmarks/drift.py FILE.npz [SEEDS]     (arrays x_train, y_train, x_test, y_test)

All rows of a class are one source: half of them are taught, half of the classes at once and then ten at a time. The
other half is predicted and tracked in ten calls, and then taught again in five sessions. For a class that has changed,
the rows are moved by 30 % or 50 % of the way to the mean of the nearest other class.
"""

import sys

import numpy as np

import fearnet


def taught(x, y, halves, classes, seed):
    brain = fearnet.Brain(seed=seed)
    base = len(classes) // 2
    groups = [classes[:base]] + [classes[i : i + 10] for i in range(base, len(classes), 10)]
    for group in groups:
        rows = np.concatenate([halves[c][0] for c in group])
        brain.learn(x[rows], [str(c) for c in y[rows]])
    return brain


def moved(x, y, share):
    """Every row, moved by a share of the way to the nearest other class."""
    names = np.unique(y)
    means = np.stack([x[y == c].mean(axis=0) for c in names])
    apart = ((means[:, None] - means[None]) ** 2).sum(axis=2) + 1e30 * np.eye(len(names))
    at = np.searchsorted(names, y)
    return x + share * (means[apart.argmin(axis=1)] - means)[at]


def p_values(brain, record):
    found = {c["name"]: c[record] for c in brain.info()["classes"]}
    return np.array([f["p_value"] for f in found.values() if f]), any(f["changed"] for f in found.values() if f)


def main():
    data = np.load(sys.argv[1])
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    x = np.concatenate([data["x_train"], data["x_test"]]).astype(np.float32)
    y = np.concatenate([data["y_train"], data["y_test"]])
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
    found = {}
    for seed in range(1, seeds + 1):
        random = np.random.default_rng(seed)
        classes = random.permutation(np.unique(y))
        halves = {c: np.array_split(random.permutation(np.flatnonzero(y == c))[:200], 2) for c in classes}
        rest = random.permutation(np.concatenate([halves[c][1] for c in classes]))
        for share in (0, 0.3, 0.5):
            kind, seen = f"moved {100 * share:.0f} %", moved(x, y, share)
            brain = taught(x, y, halves, classes, seed)
            for call in np.array_split(rest, 10):
                brain.predict(seen[call], track=True)
            found.setdefault(("predicted", kind), []).append(p_values(brain, "predicted"))
            for session in np.array_split(rest, 5):
                brain.learn(seen[session], [str(c) for c in y[session]])
            found.setdefault(("taught_again", kind), []).append(p_values(brain, "taught_again"))
    for (record, kind), results in found.items():
        p = np.concatenate([p for p, _ in results])
        shares = " ".join(f"{100 * np.mean(p < level):.1f} % below {level}," for level in (0.01, 0.05))
        alarms = sum(changed for _, changed in results)
        print(f"{record:12}  {kind:10}  {len(p)} classes: {shares} {alarms} of {len(results)} brains report a class")


main()
