#!/usr/bin/env python3
"""Measures a front end beside ONNX Runtime alone. benchmarks/front_ends.sh builds what this needs and calls it."""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def seconds(*command):
    start = time.perf_counter()
    run(*command)
    return time.perf_counter() - start


def copied(files, folder, count):
    """A folder per class with `count` files in all; the files repeat if there are fewer."""
    for i in range(count):
        file = files[i % len(files)]
        target = folder / file.parent.name
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target / f"{i}{file.suffix}")
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("photos", type=pathlib.Path)
    parser.add_argument("--model", default="efficientnet-lite4")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    a = parser.parse_args()
    fearnet, threads = a.build / "fearnet", os.cpu_count()
    files = sorted(p for p in a.photos.rglob("*") if p.is_file())
    alone = float(run(a.build / "benchmarks/fearnet_bench_embed", a.model, threads, 10))
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        many = copied(files, scratch / "many", a.files)
        learn = []
        for i in range(a.repeats):
            brain = scratch / f"{i}.brain"
            run(fearnet, "new", brain, "--features", a.model)
            learn.append(seconds(fearnet, "learn", brain, many, "--quiet"))
        one = scratch / "one"
        one.mkdir()
        for i, file in enumerate(files[:30]):
            shutil.copy(file, one / f"{i}{file.suffix}")
        teach = [seconds(fearnet, "learn", brain, one, "--label", f"new {i}", "--quiet") for i in range(a.repeats)]
        cold = [seconds(fearnet, "predict", brain, files[-1], "--quiet") for _ in range(5 * a.repeats)]
    result = {"model": a.model, "threads": threads, "onnxruntime_per_second": alone,
              "learn_per_second": a.files / min(learn), "ratio": a.files / min(learn) / alone,
              "teach_30_seconds": statistics.median(teach), "cold_predict_ms": 1000 * statistics.median(cold)}
    print(f"{a.model}, {threads} threads")
    print(f"  ONNX Runtime alone, tensors in memory   {alone:8.1f} photographs/s")
    print(f"  fearnet learn, {a.files} files            {result['learn_per_second']:8.1f} photographs/s"
          f"   {100 * result['ratio']:.0f} %")
    print(f"  teaching one class of 30 photographs    {result['teach_30_seconds']:8.2f} s")
    print(f"  a prediction by a new process           {result['cold_predict_ms']:8.0f} ms")
    print(json.dumps(result))


main()
