#!/usr/bin/env bash
# Predictions over HTTP per second, beside FastAPI with scikit-learn's LDA: tables and a line of JSON. With --busy, the
# latency of predictions while the server teaches and sleeps. With --soak, whether memory, open files and latency stay
# flat for an hour: build/serve_soak.csv and .svg, or --out FILE.
#   usage: benchmarks/serve.sh [--busy] [--seconds N] [--rounds N] [--clients N] [--data FILE.npz] [--seed N]
#          benchmarks/serve.sh --soak [--minutes N] [--rate N] [--out FILE] [--seed N]
set -euo pipefail
files=()
arguments=()
while [ $# -gt 0 ]; do
    if [ "$1" = --data ] || [ "$1" = --out ]; then
        files+=("$1" "$(realpath "${2:?$1 needs a file}")")
        shift
    else
        arguments+=("$1")
    fi
    shift
done
cd "$(dirname "$(readlink -f "$0")")/.."
. benchmarks/build.sh

scripts/install_packages.sh python3 python3-numpy python3-sklearn python3-fastapi python3-uvicorn python3-httptools \
    python3-uvloop libopenblas0-pthread wrk >&2
build_benchmark fearnet_cli
# Debian's OpenBLAS takes some processors for older ones.
if grep -qw avx512f /proc/cpuinfo; then
    export OPENBLAS_CORETYPE=SKYLAKEX
elif grep -qw avx2 /proc/cpuinfo; then
    export OPENBLAS_CORETYPE=HASWELL
fi
exec /usr/bin/python3 -B benchmarks/serve.py "$build/fearnet" "${files[@]}" "${arguments[@]}"
