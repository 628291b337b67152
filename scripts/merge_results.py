#!/usr/bin/env python3
"""Merges the runs of one folder of `fearnet paper` into another; runs that both folders have are replaced.

usage: merge_results.py FROM INTO [EXPERIMENT...]     (default: all experiments of FROM)

For each experiment, INTO then has the runs of both folders in NAME.csv, NAME_sessions.csv and NAME.json. Context, the
paper's numbers and claims are those of FROM. The version and date of FROM are noted in every run that comes from FROM.
Runs of INTO without a version and date stay so, since the context of INTO may be that of other runs. An experiment that
INTO does not have is copied.
"""
import csv
import json
import pathlib
import shutil
import sys


def key(run):
    return run["row"], run["dataset"], int(run["seed"])


def read(path):
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        return reader.fieldnames, list(reader)


def merged(old, new):
    taken = {key(run) for run in new}
    return [run for run in old if key(run) not in taken] + new


def write(path, fields, rows, place):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=place))


def merge(name, source, target, config):
    old, new = (json.loads((folder / f"{name}.json").read_text()) for folder in (target, source))
    for run in new["runs"]:
        for what in ("version", "date"):
            run.setdefault(what, new["context"][what])
    datasets = config["datasets"]
    rows = list(dict.fromkeys(row["row"] for row in config["rows"]))

    def place(run):  # stable: sessions stay in order
        dataset = datasets.index(run["dataset"]) if run["dataset"] in datasets else len(datasets)
        return dataset, rows.index(run["row"]) if run["row"] in rows else len(rows), int(run["seed"])

    runs = sorted(merged(old["runs"], new["runs"]), key=place)
    finished = {key(run) for run in runs}
    missing = {key(m): m for m in new["missing"] + old["missing"] if key(m) not in finished}
    for ending in (".csv", "_sessions.csv"):
        fields, lines = read(source / (name + ending))
        known, before = read(target / (name + ending))
        if fields != known:
            sys.exit(f"merge_results: {name}{ending} has {len(fields)} columns in {source} but {len(known)} in {target}; "
                     "run both with the same version")
        write(target / (name + ending), fields, merged(before, lines), place)
    new["seeds"] = sorted({seed for _, _, seed in finished})
    new["planned_seeds"] = config["seeds"]
    new["runs"] = runs
    new["missing"] = sorted(missing.values(), key=place)
    (target / f"{name}.json").write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n")
    print(f"{name}: {len(runs)} runs, {len(missing)} missing")


def main():
    if len(sys.argv) < 3 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__.strip())
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    configs = pathlib.Path(__file__).resolve().parent.parent / "experiments"
    names = sys.argv[3:] or sorted(p.name[: -len("_sessions.csv")] for p in source.glob("*_sessions.csv"))
    if not names:
        sys.exit(f"merge_results: {source} has no results; is it the --out of fearnet paper?")
    for name in names:
        if not (source / f"{name}.json").exists():
            sys.exit(f"merge_results: {source} has no {name}.json")
        if not (target / f"{name}.json").exists():
            for ending in (".csv", "_sessions.csv", ".json"):
                shutil.copy(source / (name + ending), target / (name + ending))
            print(f"{name}: copied")
        else:
            merge(name, source, target, json.loads((configs / f"{name}.json").read_text()))


if __name__ == "__main__":
    main()
