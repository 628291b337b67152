#!/usr/bin/python3
"""Runs the program and the Python package in a host with a 100 Hz timer signal, with Ctrl-C at a random moment.

Every run must end by itself or as an interrupted program does; a brain whose command was interrupted must be as it
was before, and must pass `fearnet check`. Prints one line per kind of run; exit code 1 when a run went wrong.

    signal_runs.py --program build/release/fearnet --timer build/release/tests/libfearnet_timer.so --runs 500 \\
        --python build/release/python --instructions DEFAULT,AVX2
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

FIT = """
import sys
import numpy as np
import fearnet
data = np.load(sys.argv[2])
x, y = data["x"], data["y"]
try:
    model = fearnet.FearNetClassifier(learner=sys.argv[3])
    if sys.argv[1] == "partial_fit":
        old = y < 3
        model.partial_fit(x[old], y[old])
        before = model.predict_proba(x)
        print("READY", flush=True)
        try:
            model.partial_fit(x[~old], y[~old])
        except KeyboardInterrupt:
            if not np.array_equal(before, model.predict_proba(x)):
                sys.exit("partial_fit was interrupted, and the model changed")
            raise
    else:
        print("READY", flush=True)
        model.fit(x, y)
except KeyboardInterrupt:
    sys.exit(130)
"""

# What an interrupted program may end with: 130, or killed by SIGINT before it has installed its handler.
INTERRUPTED = (130, -signal.SIGINT)


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", required=True, help="fearnet; several with commas, for instance one per GEMM backend")
    p.add_argument("--timer", required=True, help="the library with the timer")
    p.add_argument("--python", help="folder of the Python package; without it only the program is run")
    p.add_argument("--runs", type=int, default=14)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--instructions", default="DEFAULT", help="of ONEDNN_MAX_CPU_ISA, with commas")
    return p.parse_args()


class Runs:
    def __init__(self, a, folder):
        self.a, self.folder = a, pathlib.Path(folder)
        self.programs = a.program.split(",")
        self.rng = random.Random(a.seed)
        self.seconds = {}  # of an undisturbed run, by kind
        rng = np.random.default_rng(a.seed)

        def rows(classes, each, features=64):
            y = np.repeat(np.arange(classes), each)
            return (rng.normal(size=(len(y), features)) + 3 * np.eye(features)[y]).astype(np.float32), y

        x, y = rows(4, 25)
        np.savez(self.folder / "base.npz", x=x, y=y)
        xt, yt = rows(6, 10)
        x8, y8 = rows(6, 25)
        np.savez(self.folder / "run.npz", x_train=x8, y_train=y8, x_test=xt, y_test=yt)
        np.save(self.folder / "more.npy", rows(5, 40)[0][160:])
        np.save(self.folder / "test.npy", np.tile(xt, (100, 1)))
        (self.folder / "fit.py").write_text(FIT)
        for learner in ("fearnet", "fearnet-plus"):
            brain = self.folder / f"{learner}.brain"
            extra = ["--set", "training.base_epochs=20", "--set", "sleep.epochs=20"] if learner == "fearnet" else []
            self.ask("new", brain, "--learner", learner, *extra)
            shutil.copy(brain, self.folder / f"{learner}.empty")
            self.ask("learn", brain, self.folder / "base.npz")
            self.ask("learn", brain, self.folder / "more.npy", "--label", "more")

    def ask(self, *words):
        return subprocess.run([self.programs[0], *map(str, words)], check=True, capture_output=True, text=True).stdout

    def kinds(self):
        f = self.folder
        kinds = {}
        for learner in ("fearnet", "fearnet-plus"):
            kinds[f"learn, first session, {learner}"] = (f / f"{learner}.empty", ["learn", "BRAIN", f / "base.npz"])
            kinds[f"learn, {learner}"] = (f / f"{learner}.brain",
                                          ["learn", "BRAIN", f / "more.npy", "--label", "again"])
            kinds[f"sleep, {learner}"] = (f / f"{learner}.brain", ["sleep", "BRAIN"])
            kinds[f"predict, {learner}"] = (f / f"{learner}.brain", ["predict", "BRAIN", f / "test.npy"])
            kinds[f"run, {learner}"] = (None, ["run", f / "run.npz", "--learner", learner, "--base-classes", "4"] +
                                        (["--set", "training.base_epochs=20"] if learner == "fearnet" else []))
            if self.a.python:
                for what in ("fit", "partial_fit"):
                    kinds[f"Python {what}, {learner}"] = (None, ["python", what, learner])
        return kinds

    def start(self, program, words, brain, instructions):
        environment = dict(os.environ, LD_PRELOAD=os.path.abspath(self.a.timer),
                           OMP_NUM_THREADS=str(self.a.threads))
        if instructions != "DEFAULT":
            environment["ONEDNN_MAX_CPU_ISA"] = instructions
        if words[0] == "python":
            environment["PYTHONPATH"] = os.path.abspath(self.a.python)
            command = ["/usr/bin/python3", "-B", str(self.folder / "fit.py"), words[1], str(self.folder / "base.npz"),
                       words[2]]
        else:
            command = [program] + [str(brain if w == "BRAIN" else w) for w in words]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                errors="replace", cwd=self.folder)

    def content(self, brain):
        info = json.loads(self.ask("info", brain, "--json"))
        return json.dumps([info["classes"], info["history"]], sort_keys=True)

    def one(self, kind, interrupt):
        """What went wrong, or how it ended."""
        source, words = self.kinds()[kind]
        program = self.rng.choice(self.programs)
        brain = self.folder / "the.brain"
        for old in self.folder.glob("the.brain*"):
            old.unlink()
        if source:
            shutil.copy(source, brain)
            before = self.content(brain)
        started = time.monotonic()
        child = self.start(program, words, brain, self.rng.choice(self.a.instructions.split(",")))
        if words[0] == "python":
            child.stdout.readline()  # what comes before is not what is interrupted
            started = time.monotonic()
        if interrupt:
            try:
                child.wait(self.rng.uniform(0, 1.1 * self.seconds[kind]))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=600)
        if not interrupt:
            self.seconds[kind] = time.monotonic() - started
        code = child.returncode
        if code != 0 and code not in INTERRUPTED or code != 0 and not interrupt:
            raise RuntimeError(f"exit code {code}: {err[-500:]}")
        if source:
            self.ask("check", brain)
            changes = words[0] in ("learn", "sleep") and code == 0
            if (self.content(brain) != before) != changes:
                raise RuntimeError(f"exit code {code}, and the brain has {'not ' if changes else ''}changed")
        return "interrupted" if code else "completed"

    def all(self):
        kinds = list(self.kinds())
        ends, failures = collections.defaultdict(collections.Counter), 0
        for i in range(max(self.a.runs, len(kinds))):
            kind = kinds[i % len(kinds)]
            try:
                ends[kind][self.one(kind, interrupt=i >= len(kinds))] += 1
            except (RuntimeError, subprocess.SubprocessError) as error:
                failures += 1
                ends[kind]["WRONG"] += 1
                print(f"run {i}, {kind}: {error}", flush=True)
        for kind in kinds:
            print(f"{kind:40}{self.seconds.get(kind, 0):6.1f} s  " + ", ".join(f"{n} {how}" for how, n in sorted(ends[kind].items())))
        total = sum(sum(c.values()) for c in ends.values())
        print(f"{total} runs with a 100 Hz timer, {failures} went wrong (seed {self.a.seed})")
        return 1 if failures else 0


if __name__ == "__main__":
    arguments = parse()
    arguments.program = ",".join(os.path.abspath(p) for p in arguments.program.split(","))
    with tempfile.TemporaryDirectory(prefix="fearnet_signals.") as scratch:
        sys.exit(Runs(arguments, scratch).all())
