#!/usr/bin/python3
"""Markdown tables from what scripts/measure_accuracy.sh wrote.   usage: results_table.py OUT_DIR"""
import json
import pathlib
import statistics
import sys

# Omega_base, Omega_new, Omega_all, then the same with the oracle: the paper's tables 2 and 3.
PAPER = {
    "cub200": ("CUB-200", (0.924, 0.598, 0.891), (0.968, 0.729, 0.936), 59.8),
    "cifar100": ("CIFAR-100", (0.927, 0.824, 0.947), (0.965, 0.912, 1.002), 69.9),
    "audioset100": ("AudioSet-100", (0.962, 0.455, 0.932), (0.970, 0.701, 0.972), 45.8),
}


def mean(runs, key, digits=3):
    values = [r[key] for r in runs]
    spread = f" ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.{digits}f}{spread}"


def main(folder):
    found = []
    for name, (title, learned, oracle, offline) in PAPER.items():
        path = pathlib.Path(folder) / name / "summary.json"
        if not path.exists():
            print(f"(no {name})\n")
            continue
        summary = json.loads(path.read_text())
        runs = [r for r in summary["runs"] if r["finished"]]
        found.append((title, runs, learned, oracle, offline))
    print("Mean ± standard deviation over the seeds; the paper's number in brackets.\n")
    print("| | seeds | Omega_base | Omega_new | Omega_all | offline MLP | final accuracy |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for title, runs, learned, _, offline in found:
        cells = [f"{mean(runs, 'omega_' + k)} ({p})" for k, p in zip(("base", "new", "all"), learned)]
        off = statistics.mean(100 * r["offline_accuracy"] for r in runs)
        last = statistics.mean(100 * r["final_accuracy"] for r in runs)
        print(f"| {title} | {len(runs)} | {' | '.join(cells)} | {off:.1f} % ({offline} %) | {last:.1f} % |")
    print("\nLearned router and oracle side by side:\n")
    print("| | base, learned | base, oracle | new, learned | new, oracle | all, learned | all, oracle |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for title, runs, learned, oracle, _ in found:
        cells = []
        for k, p, q in zip(("base", "new", "all"), learned, oracle):
            cells.append(f"{statistics.mean(r['omega_' + k] for r in runs):.3f} ({p})")
            cells.append(f"{statistics.mean(r['oracle_omega_' + k] for r in runs):.3f} ({q})")
        print(f"| {title} | {' | '.join(cells)} |")
    print("\nAgainst the offline model restricted to the classes seen so far, and what is kept after the last sleep:\n")
    print("| | base | all | networks + statistics |")
    print("|---|--:|--:|--:|")
    for title, runs, *_ in found:
        size = statistics.mean(sum(r["memory_bytes"].values()) for r in runs) / 1e6
        print(f"| {title} | {mean(runs, 'omega_restricted_base')} | {mean(runs, 'omega_restricted_all')} "
              f"| {size:.1f} MB |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
