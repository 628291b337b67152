"""scripts/merge_results.py: what a folder lacks, or has otherwise, comes from the other; the rest stays byte for byte.

usage: merge_results_test.py SOURCE_DIR
"""
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
results = root / "experiments" / "results"
FILES = [f"exemplars{ending}" for ending in (".csv", "_sessions.csv", ".json")]


def merge(*arguments):
    return subprocess.run([sys.executable, root / "scripts" / "merge_results.py", *arguments], text=True, capture_output=True)


def rewrite(path, change):
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        rows = change(list(reader))
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, reader.fieldnames, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


with tempfile.TemporaryDirectory() as folder:
    whole, part = pathlib.Path(folder) / "whole", pathlib.Path(folder) / "part"
    for target in (whole, part):
        target.mkdir()
        for name in FILES:
            shutil.copy(results / name, target)
    lost = json.loads((part / "exemplars.json").read_text())
    run = lost["runs"].pop(3)
    lost["missing"].append({"row": run["row"], "dataset": run["dataset"], "seed": run["seed"], "reason": "not run"})
    (part / "exemplars.json").write_text(json.dumps(lost))

    def is_lost(line):
        return line["row"] == run["row"] and line["dataset"] == run["dataset"]

    for name in FILES[:2]:
        rewrite(part / name, lambda rows: [r for r in rows if not is_lost(r)])
    rewrite(part / FILES[0], lambda rows: [dict(r, omega_all="9") for r in rows])  # other numbers: replaced
    done = merge(whole, part)
    assert done.returncode == 0, done.stderr
    for name in FILES[:2]:
        assert (part / name).read_bytes() == (results / name).read_bytes(), name
    expected = json.loads((results / "exemplars.json").read_text())
    for run in expected["runs"]:
        run.setdefault("version", expected["context"]["version"])
        run.setdefault("date", expected["context"]["date"])
    assert json.loads((part / "exemplars.json").read_text()) == expected

    empty = pathlib.Path(folder) / "empty"
    empty.mkdir()
    assert merge(whole, empty).returncode == 0
    assert (empty / FILES[0]).read_bytes() == (results / FILES[0]).read_bytes()
    for arguments, word in (((part, empty, "nothing"), "nothing.json"), ((folder, empty), "no results")):
        refused = merge(*arguments)
        assert refused.returncode != 0 and word in refused.stderr, refused
    (empty / FILES[0]).write_text("row,dataset,seed\n")
    refused = merge(whole, empty)
    assert refused.returncode != 0 and "columns" in refused.stderr
print("merge_results: ok")
