#!/usr/bin/env bash
# Seconds of GeppNet's training interval for one new class, on one thread: a table and a line of JSON.
#   usage: benchmarks/geppnet.sh [options of fearnet_bench_geppnet, see --help]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. benchmarks/build.sh

build_benchmark fearnet_bench_geppnet
exec "$build/benchmarks/fearnet_bench_geppnet" "$@"
