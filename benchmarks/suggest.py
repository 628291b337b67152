#!/usr/bin/env python3
"""The accuracy after 10 labels per class that Brain.suggest chose, beside that after 10 and 15 random ones.

usage: PYTHONPATH=build/release/python benchmarks/suggest.py FILE.npz [SEED [ROUNDS]]

FILE has x_train, y_train, x_test and y_test. Half of the classes, in an order drawn with SEED (1), are taught. The pool
is the training rows of the others, at most 100 of each class, without labels. Labels are asked for in ROUNDS (5) rounds;
after each one the brain learns the rows with their labels. Accuracies are means over the test rows of the classes.
"""

import sys

import fearnet
import numpy as np


def accuracy(brain, data, classes):
    shares = []
    for c in classes:
        answers = np.asarray(brain.labels(data["x_test"][data["y_test"] == c]))
        shares.append(np.mean(answers == str(c)))
    return 100 * np.mean(shares)


def taught(data, base):
    brain = fearnet.Brain()
    rows = np.isin(data["y_train"], base)
    brain.learn(data["x_train"][rows], [str(c) for c in data["y_train"][rows]])
    return brain


def learn(brain, data, rows):
    brain.learn(data["x_train"][rows], [str(c) for c in data["y_train"][rows]])


def show(name, brain, data, base, new, rows):
    known = len(np.unique(data["y_train"][rows]))
    print(f"  {name}: new classes {accuracy(brain, data, new):.1f} %, all classes "
          f"{accuracy(brain, data, np.concatenate([base, new])):.1f} %, {known} of {len(new)} classes seen", flush=True)


def main(path, seed, rounds):
    rng = np.random.default_rng(seed)
    with np.load(path) as file:
        data = {name: file[name] for name in ("x_train", "y_train", "x_test", "y_test")}
    order = rng.permutation(np.unique(data["y_train"]))
    base, new = order[: len(order) // 2], order[len(order) // 2 :]
    pool = np.concatenate([rng.permutation(np.flatnonzero(data["y_train"] == c))[:100] for c in new])
    print(f"{path}, seed {seed}: {len(base)} classes taught, {len(pool)} rows of {len(new)} other classes")
    for per_class in (10, 15):
        brain, rows = taught(data, base), rng.permutation(pool)[: per_class * len(new)]
        learn(brain, data, rows)
        show(f"{per_class} random labels per class", brain, data, base, new, rows)
    brain, labeled = taught(data, base), np.empty(0, int)
    for left in range(rounds, 0, -1):
        count = (10 * len(new) - len(labeled)) // left
        rest = np.setdiff1d(pool, labeled)
        given = {"labeled": data["x_train"][labeled]} if len(labeled) else {}
        chosen = rest[brain.suggest(data["x_train"][rest], count, **given)]
        learn(brain, data, chosen)
        labeled = np.concatenate([labeled, chosen])
    show(f"10 suggested labels per class, {rounds} rounds", brain, data, base, new, labeled)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__.strip())
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1, int(sys.argv[3]) if len(sys.argv) > 3 else 5)
