#!/usr/bin/env bash
# Rows per second that brains of both learners predict in batches.
#   usage: benchmarks/brain_predict.sh
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. benchmarks/build.sh

build_benchmark fearnet_bench_brain_predict
exec "$build/benchmarks/fearnet_bench_brain_predict"
