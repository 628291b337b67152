#!/usr/bin/env bash
# Time of the base session, of teaching a class, of sleep and of predicting a row, for FearNet plus and LDA: tables and
# a line of JSON.
#   usage: benchmarks/closed_form.sh [options of fearnet_bench_closed_form, see --help]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. benchmarks/build.sh

build_benchmark fearnet_bench_closed_form
exec "$build/benchmarks/fearnet_bench_closed_form" --scale "$@"
