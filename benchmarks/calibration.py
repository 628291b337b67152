#!/usr/bin/env python3
"""The expected calibration error of a learner, in 15 bins.

usage: PYTHONPATH=build/release/python benchmarks/calibration.py FILE.npz [LEARNER...]

FILE has x_train, y_train, x_test and y_test. Half of the classes are the base session, the others follow in ten
sessions, in the order of their numbers; the learner sleeps after each. Rows have length one.
"""

import sys

import fearnet
import numpy as np

CLOSED_FORM = ["nearest-mean", "ridge", "ranpac", "fecam", "streaming-lda", "fearnet-plus"]


def expected_calibration_error(probabilities, columns, bins=15):
    """Mean over bins of equal width, weighted by their rows, of |confidence - accuracy|."""
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == columns
    bin_of = np.minimum((confidence * bins).astype(int), bins - 1)
    return sum(abs(right[bin_of == b].sum() - confidence[bin_of == b].sum()) for b in range(bins)) / len(columns)


def unit_length(x):
    return (x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)).astype(np.float32)


def main(path, learners):
    data = np.load(path)
    x, x_test = unit_length(data["x_train"]), unit_length(data["x_test"])
    classes, y = np.unique(data["y_train"], return_inverse=True)
    y_test = np.searchsorted(classes, data["y_test"])
    half = len(classes) // 2
    sessions = [np.arange(half), *np.array_split(np.arange(half, len(classes)), 10)]
    for name in learners:
        frames = fearnet.find_frames(x[np.isin(y, sessions[0])]) if name == "fearnet-plus" else 1
        learner = fearnet.Learner(name, settings={"features.frames": frames} if frames > 1 else {})
        for session in sessions:
            chosen = np.isin(y, session)
            learner.learn(x[chosen], y[chosen])
            learner.sleep()
            if session is sessions[0]:
                known = y_test < half
                first = learner.probabilities(x_test[known]), y_test[known]
        last = learner.probabilities(x_test), y_test
        for when, (p, truth) in (("base session", first), ("all classes", last)):
            print(
                f"{path.split('/')[-1]}  {name:17}{when:14}accuracy {np.mean(p.argmax(axis=1) == truth):.3f}  "
                f"confidence {p.max(axis=1).mean():.3f}  error {expected_calibration_error(p, truth):.3f}",
                flush=True,
            )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:] or CLOSED_FORM)
