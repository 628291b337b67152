#!/usr/bin/env bash
# Peak memory of a sleep with 100 to 1,000 classes: a table, and the growth drawn into docs/images/sleep_memory.svg.
#   usage: benchmarks/sleep_memory.sh [options of fearnet_bench_sleep_memory, see --help]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. benchmarks/build.sh

build_benchmark fearnet_bench_sleep_memory
mkdir -p docs/images
exec "$build/benchmarks/fearnet_bench_sleep_memory" --svg docs/images/sleep_memory.svg "$@"
