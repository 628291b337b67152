#!/usr/bin/python3
"""The tables of README.md and the docs from the results of `fearnet paper`.

usage: results_table.py RESULTS_DIR                  prints all tables
       results_table.py RESULTS_DIR --check FILE...  fails if a table in a FILE differs from the results
       results_table.py RESULTS_DIR --write FILE...  replaces the tables in each FILE

A table is the text between <!-- table NAME --> and <!-- end -->.
"""
import csv
import json
import pathlib
import re
import statistics
import sys

DATASETS = {"cub200": "CUB-200", "cifar100": "CIFAR-100", "audioset": "AudioSet-100"}
PAPERS_OFFLINE = {"cub200": 59.8, "cifar100": 69.9, "audioset": 45.8}
NAMES = {"fearnet": "FearNet", "icarl": "iCaRL", "fel": "FEL", "geppnet": "GeppNet", "geppnet-stm": "GeppNet+STM"}
RESTRICTED = {"multimodal", "base-size"}  # where the offline model of all classes decides much
DELETE_EXAMPLES = {"fearnet", "fearnet-plus"}


class Results:
    def __init__(self, folder, experiment="soa"):
        folder = pathlib.Path(folder)
        self.name = experiment
        with open(folder / f"{experiment}.csv", newline="") as file:
            self.runs = list(csv.DictReader(file))
        context = json.loads((folder / f"{experiment}.json").read_text())
        self.paper = {(p["row"], p["dataset"]): p for p in context["paper"]}
        self.oracle = {}
        if (folder / "oracle.json").exists():
            for p in json.loads((folder / "oracle.json").read_text())["paper"]:
                self.oracle[p["dataset"]] = p
        self.rows = list(dict.fromkeys(r["row"] for r in self.runs))

    def values(self, row, dataset, column):
        return [float(r[column]) for r in self.runs if r["row"] == row and r["dataset"] == dataset and r[column]]

    def kept(self, row, dataset):
        """Final memory in bytes, without the recent rows that the next sleep deletes (learners in DELETE_EXAMPLES)."""
        sleeps = any(r["learner"] in DELETE_EXAMPLES for r in self.runs if r["row"] == row and r["dataset"] == dataset)
        return self.mean(row, dataset, "memory_bytes") - (self.mean(row, dataset, "memory_examples") if sleeps else 0)

    def mean(self, row, dataset, column):
        values = self.values(row, dataset, column)
        return statistics.mean(values) if values else None


def spread(values, digits=3):
    text = f"{statistics.mean(values):.{digits}f}"
    return text + (f" ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else "")


def learners(results, digits=2):
    """Every learner: Omega base / new / all, seeds, the paper's Omega_all in brackets; † not tested after every session."""
    lines = ["| Omega base / new / all | " + " | ".join(DATASETS.values()) + " |", "|---|" + "--:|" * len(DATASETS)]
    best = {d: max((m for r in results.rows if (m := results.mean(r, d, "omega_all")) is not None), default=None)
            for d in DATASETS}
    for row in results.rows:
        cells = []
        for d in DATASETS:
            triple = [results.mean(row, d, f"omega_{k}") for k in ("base", "new", "all")]
            if triple[2] is None:
                cells.append("not run")
                continue
            text = [f"{v:.{digits}f}" for v in triple]
            if triple[2] == best[d]:
                text[2] = f"**{text[2]}**"
            paper = results.paper.get((row, d))
            seeds = len(results.values(row, d, "omega_all"))
            seldom = any(v != 1 for v in results.values(row, d, "evaluate_every"))
            cells.append(" / ".join(text) + (f" ({paper['omega_all']:.2f})" if paper else "") + (" †" if seldom else "")
                         + ("" if seeds == 3 else f", {seeds} seed" + ("s" if seeds > 1 else "")))
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return lines


def readme(folder):
    """FearNet plus compared with every other learner."""
    results = Results(folder, "plus")
    results.paper = Results(folder).paper
    return learners(results)


def plus(results):
    return learners(results, 3)


def plus_fifth(results, folder):
    """Omega_all of the best learners on the sessions that all of them were tested after: every fifth and the last."""
    with open(pathlib.Path(folder) / "plus_sessions.csv", newline="") as file:
        sessions = [s for s in csv.DictReader(file) if int(s["session"]) > 0]
    lines = ["| Omega_all, every fifth session | " + " | ".join(DATASETS.values()) + " |", "|---|" + "--:|" * len(DATASETS)]
    for row in ("FearNet plus", "FeCAM", "Streaming LDA"):
        cells = []
        for d in DATASETS:
            values = []
            for run in (r for r in results.runs if r["row"] == row and r["dataset"] == d):
                mine = [s for s in sessions if (s["row"], s["dataset"], s["seed"]) == (row, d, run["seed"])]
                last = max(int(s["session"]) for s in mine)
                tested = [float(s["all"]) for s in mine if int(s["session"]) % 5 == 0 or int(s["session"]) == last]
                values.append(statistics.mean(tested) / float(run["offline_accuracy"]))
            cells.append(spread(values) if values else "not run")
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return lines


def fearnet(results):
    lines = ["| FearNet | seeds | Omega_base | Omega_new | Omega_all | offline MLP | final accuracy |",
             "|---|--:|--:|--:|--:|--:|--:|"]
    for d, title in DATASETS.items():
        values = {k: results.values("FearNet", d, k) for k in
                  ("omega_base", "omega_new", "omega_all", "offline_accuracy", "final_accuracy")}
        if not values["omega_all"]:
            continue
        paper = results.paper[("FearNet", d)]
        cells = [f"{spread(values[k])} ({paper[k]:.3f})" for k in ("omega_base", "omega_new", "omega_all")]
        offline, final = (100 * statistics.mean(values[k]) for k in ("offline_accuracy", "final_accuracy"))
        lines.append(f"| {title} | {len(values['omega_all'])} | {' | '.join(cells)} | "
                     f"{offline:.1f} % ({PAPERS_OFFLINE[d]} %) | {final:.1f} % |")
    return lines


def router(results):
    lines = ["| | base, learned | base, oracle | new, learned | new, oracle | all, learned | all, oracle |",
             "|---|" + "--:|" * 6]
    for d, title in DATASETS.items():
        if not results.values("FearNet", d, "oracle_all") or d not in results.oracle:
            continue
        cells = []
        for k in ("base", "new", "all"):
            for column in (f"omega_{k}", f"oracle_{k}"):
                cells.append(f"{results.mean('FearNet', d, column):.3f} ({results.oracle[d][column]:.3f})")
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def restricted(results):
    lines = ["| | base | all | networks + statistics |", "|---|--:|--:|--:|"]
    for d, title in DATASETS.items():
        base, every = (results.values("FearNet", d, f"omega_{k}_restricted") for k in ("base", "all"))
        if base:
            kept = sum(results.mean("FearNet", d, f"memory_{k}") for k in ("networks", "statistics"))
            lines.append(f"| {title} | {spread(base)} | {spread(every)} | {kept / 1e6:.1f} MB |")
    return lines


def runs(results):
    """Every row of an experiment on every data set."""
    scores = ["omega_base", "omega_new", "omega_all"]
    titles = ["Omega_base", "Omega_new", "Omega_all"]
    if results.name in RESTRICTED:
        scores += ["omega_base_restricted", "omega_all_restricted"]
        titles += ["base, restricted", "all, restricted"]
    lines = [f"| | data set | seeds | {' | '.join(titles)} | final accuracy | memory without recent rows |", "|---|---|" + "--:|" * (3 + len(scores))]
    for d in dict.fromkeys(r["dataset"] for r in results.runs):
        for row in dict.fromkeys(r["row"] for r in results.runs if r["dataset"] == d):
            paper = results.paper.get((row, d), {})
            cells = []
            for k in scores:
                cells.append(spread(results.values(row, d, k)) + (f" ({paper[k]:.3f})" if k in paper else ""))
            kept = results.kept(row, d)
            title = "+".join(DATASETS.get(part, part) for part in d.split("+"))
            lines.append(f"| {row} | {title} | {len(results.values(row, d, 'omega_all'))} | {' | '.join(cells)} | "
                         f"{100 * results.mean(row, d, 'final_accuracy'):.1f} % | {kept / 1e6:.1f} MB |")
    return lines


def size_text(size):
    for unit, many in (("GB", 1e9), ("MB", 1e6)):
        if size >= many:
            return f"{size / many:.1f} {unit}"
    return f"{size / 1e3:.0f} kB"


def memory(folder):
    """Bytes that every learner keeps, without recent rows, at the data set's classes and extrapolated to 1,000."""
    context = json.loads((folder / "memory.json").read_text())
    paper = {(p["row"], p["dataset"]): p for p in context["paper"]}
    lines = ["| | " + " | ".join(f"{d} | at 1,000" for d in DATASETS.values()) + " |", "|---|" + "--:|" * (2 * len(DATASETS))]
    for row in dict.fromkeys(r["row"] for r in context["runs"]):
        cells = []
        for d in DATASETS:
            runs = [r for r in context["runs"] if (r["row"], r["dataset"]) == (row, d)]
            for column in ("memory_bytes", "memory_bytes_1000"):
                theirs = paper.get((row, d), {}).get(column)
                text = size_text(statistics.mean(r[column] for r in runs)) if runs else "not run"
                cells.append(text + (f" ({size_text(theirs)})" if theirs else ""))
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return lines


def searches(folder):
    """The results of `fearnet tune`: one line per file it wrote, accuracies of held-out training rows of the base classes."""
    lines = ["| | data set | trials | untuned | best | options of the best | minutes |", "|---|---|--:|--:|--:|---|--:|"]
    found = []
    for file in sorted(folder.glob("*.jsonl")):
        head, *trials = (json.loads(line) for line in file.read_text().splitlines())
        shipped = next(t for t in trials if not t["settings"])
        best = max(trials, key=lambda t: t["all"])  # the first of equals: the untuned trial if no other is better
        with_what = ", ".join(f"`{k}={v}`" for k, v in best["settings"].items()) or "unchanged"
        minutes = sum(t["seconds"] for t in trials) / 60
        found.append((list(NAMES).index(head["learner"]), list(DATASETS).index(head["data"]), head["date"],
                      f"| {NAMES[head['learner']]} | {DATASETS[head['data']]} | {len(trials)} | {100 * shipped['all']:.1f} % | "
                      f"{100 * best['all']:.1f} % | {with_what} | {minutes:.1f} |"))
    return lines + [line for *_, line in sorted(found)]


TABLES = {"learners": learners, "fearnet": fearnet, "router": router, "restricted": restricted}


def with_tables(text, tables):
    def fill(match):
        if match[1] not in tables:
            sys.exit(f"no results for the table '{match[1]}'; there are {', '.join(tables)}")
        return f"<!-- table {match[1]} -->\n" + "\n".join(tables[match[1]]) + "\n<!-- end -->"
    return re.sub(r"<!-- table ([\w-]+) -->\n.*?<!-- end -->", fill, text, flags=re.S)


def main():
    if len(sys.argv) < 2 or (len(sys.argv) > 2 and sys.argv[2] not in ("--check", "--write")):
        sys.exit(__doc__)
    tables = {name: make(Results(sys.argv[1])) for name, make in TABLES.items()}
    for file in sorted(pathlib.Path(sys.argv[1]).glob("*.csv")):
        if not file.stem.endswith("_sessions") and file.stem not in ("soa", "oracle", "memory"):
            tables[file.stem] = plus(Results(sys.argv[1], "plus")) if file.stem == "plus" else runs(Results(sys.argv[1], file.stem))
    if "plus" in tables:
        tables["readme"] = readme(sys.argv[1])
        tables["plus-fifth"] = plus_fifth(Results(sys.argv[1], "plus"), sys.argv[1])
    if (pathlib.Path(sys.argv[1]) / "memory.json").exists():
        tables["memory"] = memory(pathlib.Path(sys.argv[1]))
    if (tuning := pathlib.Path(sys.argv[1]) / "tuning").is_dir():
        tables["searches"] = searches(tuning)
    if len(sys.argv) == 2:
        print("\n\n".join("\n".join(t) for t in tables.values()))
        return
    for name in sys.argv[3:]:
        path = pathlib.Path(name)
        text = path.read_text()
        if "<!-- table " not in text:
            sys.exit(f"{name}: contains no <!-- table NAME -->")
        if sys.argv[2] == "--write":
            path.write_text(with_tables(text, tables))
        elif with_tables(text, tables) != text:
            sys.exit(f"{name}: differs from the results; run scripts/results_table.py {sys.argv[1]} --write {name}")


if __name__ == "__main__":
    main()
