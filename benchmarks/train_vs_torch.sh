#!/usr/bin/env bash
# Compares the training step with that of torch: both run in turn, and the best round of each counts.
#   usage: benchmarks/train_vs_torch.sh        ROUNDS=5 ROWS=25000 by default; BLAS=/path/to/libmkl_rt.so adds a BLAS
# Prints a table and, as the last line, a JSON object. Keep the machine otherwise idle.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. benchmarks/build.sh

build_benchmark fearnet_bench_train
scripts/install_packages.sh python3 python3-torch libopenblas0-pthread >&2
exec /usr/bin/python3 benchmarks/train_vs_torch.py "$build/benchmarks/fearnet_bench_train" \
    --rounds "${ROUNDS:-5}" --rows "${ROWS:-25000}" ${BLAS:+--blas "$BLAS"}
