#!/usr/bin/env bash
# Costs of FearNet plus and streaming LDA with 100, 1,000 and 10,000 classes: a table, a line of JSON, and the growth
# drawn into docs/images/growth.svg.
#   usage: benchmarks/growth.sh [--threads N]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. benchmarks/build.sh

scripts/install_packages.sh python3
build_benchmark fearnet_bench_closed_form
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
"$build/benchmarks/fearnet_bench_closed_form" --growth "$@" | tee "$lines"
mkdir -p docs/images
tail -n 1 "$lines" | /usr/bin/python3 benchmarks/growth_plot.py docs/images/growth.svg
