#!/usr/bin/env bash
# Time to teach a class to a brain and to predict a row in a new process: a table and a line of JSON.
#   usage: benchmarks/brain_cost.sh [--learner fearnet|fearnet-plus] [--repeats N]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. benchmarks/build.sh

scripts/install_packages.sh python3 python3-numpy
build_benchmark fearnet_cli
exec /usr/bin/python3 benchmarks/brain_cost.py "$build/fearnet" "$@"
