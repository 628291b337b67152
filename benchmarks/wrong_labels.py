#!/usr/bin/env python3
"""Wrong labels that a brain of FearNet plus names, and the accuracy with and without the rows that it names.

usage: PYTHONPATH=build/release/python benchmarks/wrong_labels.py FILE.npz [SEED] [--holdout]

FILE has x_train, y_train, x_test and y_test. 10 % of the labels are wrong, drawn with SEED (1), in these sessions:
  base        half of the classes, in an order drawn with SEED; a wrong label is that of another class of the session
  ten         ten more classes after the base, in the same way
  one known   one more class after the base; the wrong rows are of a class of the base
  one unknown one more class after the base; the wrong rows are of a class that is never taught
For each: the share of wrong labels that is named, the share of right labels that is named, and the accuracy (mean over
classes) with clean labels, with wrong labels, with wrong labels after leaving out the rows that are named, and after
leaving out exactly the wrong ones. The accuracy is that of the classes of the session. The last two kinds are means
over ten classes. With --holdout, every fifth training row is a test row, and the test rows are not read.
"""

import sys
import tempfile
import time

import fearnet
import numpy as np

SHARE = 0.1


def accuracy(brain, data, classes):
    shares = []
    for c in classes:
        answers = np.asarray(brain.labels(data["x_test"][data["y_test"] == c]))
        shares.append(np.mean(answers == str(c)))
    return np.mean(shares)


class Tally:
    def __init__(self):
        self.wrong = self.found = self.right = self.false = 0
        self.runs = []

    def add(self, brain, x, labels, wrong):
        """Counts the suspects of a session; returns which rows are none."""
        start = time.perf_counter()
        named = np.zeros(len(x), bool)
        named[[s["row"] for s in brain.suspect_labels(x, [str(c) for c in labels])]] = True
        self.seconds = time.perf_counter() - start
        self.wrong += wrong.sum()
        self.found += (named & wrong).sum()
        self.right += (~wrong).sum()
        self.false += (named & ~wrong).sum()
        return ~named

    def report(self, kind):
        clean, dirty, skipped, exact = np.mean(self.runs, axis=0)
        back = (skipped - dirty) / (clean - dirty) if clean > dirty else float("nan")
        exactly = (skipped - dirty) / (exact - dirty) if exact > dirty else float("nan")
        named = f"{100 * self.found / self.wrong:5.1f} % of {self.wrong} named" if self.wrong else "-"
        print(f"{kind:12} wrong labels: {named}; right ones: {100 * self.false / self.right:.2f} % of {self.right}; "
              f"accuracy clean {100 * clean:.2f}, dirty {100 * dirty:.2f}, skipped {100 * skipped:.2f} "
              f"({100 * back:.0f} % of the way back), without exactly the wrong ones {100 * exact:.2f} "
              f"({100 * exactly:.0f} % of the way there); check {self.seconds:.2f} s", flush=True)


def switched(labels, rng):
    """Labels of which a share is that of another class, and which ones those are."""
    wrong = np.zeros(len(labels), bool)
    wrong[rng.permutation(len(labels))[: round(SHARE * len(labels))]] = True
    classes = np.unique(labels)
    result = labels.copy()
    for i in np.flatnonzero(wrong):
        result[i] = rng.choice(classes[classes != labels[i]])
    return result, wrong


def teach(brain, x, labels):
    start = time.perf_counter()
    brain.learn(x, [str(c) for c in labels])
    return time.perf_counter() - start


def copy_of(brain, path):
    brain.copy_to(path)
    return fearnet.Brain.open(path)


def main(path, seed, holdout):
    with np.load(path) as file:
        data = {name: file[name] for name in ("x_train", "y_train")}
        if holdout:
            test = np.arange(len(data["y_train"])) % 5 == 4
            data["x_test"], data["y_test"] = data["x_train"][test], data["y_train"][test]
            data["x_train"], data["y_train"] = data["x_train"][~test], data["y_train"][~test]
        else:
            data["x_test"], data["y_test"] = file["x_test"], file["y_test"]
    x, y = data["x_train"], data["y_train"]
    rng = np.random.default_rng(seed)
    order = rng.permutation(np.unique(y))
    base = order[: len(order) // 2]
    settings = {"features.frames": fearnet.find_frames(x[np.isin(y, base)])}
    print(f"{path}, seed {seed}, {len(base)} base classes{', held-out training rows' if holdout else ''}")

    rows = np.flatnonzero(np.isin(y, base))
    labels, wrong = switched(y[rows], rng)
    tally = Tally()
    brains = {"clean": fearnet.Brain(settings=settings), "dirty": fearnet.Brain(settings=settings),
              "skipped": fearnet.Brain(settings=settings), "exact": fearnet.Brain(settings=settings)}
    false = fearnet.Brain(settings=settings).suspect_labels(x[rows], [str(c) for c in y[rows]])
    print(f"base, clean labels: {100 * len(false) / len(rows):.2f} % named")
    keep = tally.add(brains["clean"], x[rows], labels, wrong)
    seconds = teach(brains["clean"], x[rows], y[rows])
    teach(brains["dirty"], x[rows], labels)
    teach(brains["skipped"], x[rows][keep], labels[keep])
    teach(brains["exact"], x[rows][~wrong], labels[~wrong])
    tally.runs.append([accuracy(b, data, base) for b in brains.values()])
    tally.report("base")
    print(f"             learn {seconds:.2f} s")

    with tempfile.TemporaryDirectory() as folder:
        number = iter(range(10**6))

        def copy():
            return copy_of(brains["clean"], f"{folder}/{next(number)}.brain")

        ten = order[len(base): len(base) + 10]
        rows = np.flatnonzero(np.isin(y, ten))
        labels, wrong = switched(y[rows], rng)
        tally = Tally()
        keep = tally.add(brains["clean"], x[rows], labels, wrong)
        run = []
        for some, given in ((slice(None), y[rows]), (slice(None), labels), (keep, labels), (~wrong, labels)):
            brain = copy()
            seconds = teach(brain, x[rows][some], given[some])
            run.append(accuracy(brain, data, ten))
        tally.runs.append(run)
        tally.report("ten")
        print(f"             learn {seconds:.2f} s")

        clean = Tally()
        for kind in ("one known", "one unknown"):
            tally = Tally()
            for k in range(10):
                c = order[len(base) + k]
                other = base[k] if kind == "one known" else order[-1 - k]
                own = np.flatnonzero(y == c)
                strange = rng.permutation(np.flatnonzero(y == other))[: round(SHARE / (1 - SHARE) * len(own))]
                rows = np.concatenate([own, strange])
                wrong = np.arange(len(rows)) >= len(own)
                labels = np.full(len(rows), c)
                keep = tally.add(brains["clean"], x[rows], labels, wrong)
                clean.add(brains["clean"], x[own], np.full(len(own), c), np.zeros(len(own), bool))
                run = []
                for some in (own, rows, rows[keep], own):
                    brain = copy()
                    seconds = teach(brain, x[some], np.full(len(some), c))
                    run.append(accuracy(brain, data, [c]))
                tally.runs.append(run)
            tally.report(kind)
        print(f"             learn {seconds:.2f} s\none, clean labels: "
              f"{100 * clean.false / clean.right:.2f} % named")


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--holdout"]
    if len(arguments) not in (1, 2):
        sys.exit(__doc__.strip())
    main(arguments[0], int(arguments[1]) if len(arguments) > 1 else 1, "--holdout" in sys.argv)
