"""Runs fearnet_bench_train and train_torch.py in turn and compares them; train_vs_torch.sh calls it.

First tries every setting of torch that may be the fastest on this CPU (the BLAS library, the kernels that OpenBLAS
chooses, the variants of train_torch.py) with each number of threads, then measures against the best one.
"""
import argparse
import datetime
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# The kernels for AVX-512 end in an illegal instruction elsewhere; such a setting just drops out.
CORE_TYPES = (None, "SKYLAKEX", "ZEN", "HASWELL")
THREADS = (1, 2)
SEARCH_ROWS = 4500  # ten batches an epoch: enough to rank the settings, and the search takes a minute instead of ten


def cpu_name():
    with open("/proc/cpuinfo") as file:
        return next((line.split(": ", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")


def run(command, environment=None):
    """The JSON a program prints, or None if it fails."""
    done = subprocess.run(command, env={**os.environ, **(environment or {})}, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def settings(extra):
    """Name -> environment of each BLAS setting."""
    found = {}
    openblas = sorted(glob.glob("/usr/lib/*/openblas-pthread/libopenblas.so.0"))
    # Preloaded, so that torch uses it whatever the system's BLAS alternative is.
    for library in openblas[:1]:
        for core in CORE_TYPES:
            name = "OpenBLAS " + (core or "as installed")
            found[name] = {"LD_PRELOAD": library, **({"OPENBLAS_CORETYPE": core} if core else {})}
    found["system BLAS"] = {}
    for library in extra:
        found[os.path.basename(library)] = {"LD_PRELOAD": library, "MKL_THREADING_LAYER": "GNU"}
    return found


def torch_speeds(environment, threads, rounds, rows, variants=()):
    # Both BLAS and torch's own loops must keep to the number of threads.
    count = {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    command = ["/usr/bin/python3", os.path.join(HERE, "train_torch.py"), "--threads", str(threads), "--rounds", str(rounds),
               "--rows", str(rows)] + (["--variant", *variants] if variants else [])
    result = run(command, {**environment, **count})
    return result and result["samples_per_second"]


def best_settings(all_settings, threads):
    """(speed, name of the BLAS setting, variant) of torch's fastest, the best two of them."""
    tried = []
    for name, environment in all_settings.items():
        speeds = torch_speeds(environment, threads, 4, SEARCH_ROWS)
        if speeds is None:
            print(f"  torch, {threads} thread(s), {name}: does not run on this machine", flush=True)
            continue
        variant = max(speeds, key=speeds.get)
        print(f"  torch, {threads} thread(s), {name}: {speeds[variant]:,.0f} samples/s with {variant}", flush=True)
        tried.append((speeds[variant], name, variant))
    if not tried:
        sys.exit("train_vs_torch: torch does not run; is python3-torch installed?")
    return sorted(tried, reverse=True)[:2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="fearnet_bench_train")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=25000)
    parser.add_argument("--blas", action="append", default=[], help="another BLAS library to try for torch")
    a = parser.parse_args()
    all_settings = settings(a.blas)

    print("Choosing torch's settings")
    table, backend = [], ""
    for threads in THREADS:
        candidates = best_settings(all_settings, threads)
        torch, how, ours, bound = 0, "", 0, 0  # the search only ranks: its rows fit into the cache
        for done in range(a.rounds):
            print(f"  measuring, {threads} thread(s): round {done + 1} of {a.rounds}", flush=True)
            result = run([a.program, "--threads", str(threads), "--rounds", "3", "--rows", str(a.rows)])
            if result is None:
                sys.exit(f"train_vs_torch: {a.program} failed")
            ours, bound = max(ours, result["samples_per_second"]), max(bound, result["gemm_bound"])
            backend = result["backend"]
            for _, name, variant in candidates:
                speeds = torch_speeds(all_settings[name], threads, 3, a.rows, [variant])
                if speeds:
                    torch, how = max((torch, how), (speeds[variant], f"{name}, {variant}"))
        table.append((threads, torch, ours, bound, how))

    print(f"\nTraining step, samples per second ({a.rows:,} x 2,048 unit rows, batch 450, hidden 140/130, 50 classes)")
    print(f"{cpu_name()}, {os.cpu_count()} processors, {datetime.date.today()}, ours on {backend}\n")
    print(f"{'threads':>7}  {'torch':>8}  {'ours':>8}  {'ours/torch':>10}  {'GEMM bound':>10}  {'of bound':>8}  torch's settings")
    for threads, torch, ours, bound, how in table:
        print(f"{threads:>7}  {torch:>8,.0f}  {ours:>8,.0f}  {ours / torch:>10.2f}  {bound:>10,.0f}  {ours / bound:>8.2f}  {how}")
    print("\nof_gemm_bound below is the smaller of the two shares of the bound.\n")
    ratios = [ours / torch for _, torch, ours, _, _ in table]
    print(json.dumps({"ratio_1_thread": round(ratios[0], 3), "ratio_2_threads": round(ratios[1], 3),
                      "of_gemm_bound": round(min(ours / bound for _, _, ours, bound, _ in table), 3)}))


if __name__ == "__main__":
    main()
