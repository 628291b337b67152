#!/usr/bin/env bash
# Photographs per second from files to a brain beside those of ONNX Runtime alone, seconds to teach a class, and seconds of
# a prediction by a new process: a table and a line of JSON.
#   usage: benchmarks/front_ends.sh PHOTOS [--model NAME] [--files N] [--repeats N]     (PHOTOS: one folder per class)
set -euo pipefail
photos=$(realpath "${1:?usage: benchmarks/front_ends.sh PHOTOS [--model NAME] [--files N] [--repeats N]}")
cd "$(dirname "$(readlink -f "$0")")/.."
. benchmarks/build.sh

scripts/install_packages.sh python3
build_benchmark fearnet_cli
build_benchmark fearnet_bench_embed
exec /usr/bin/python3 benchmarks/front_ends.py "$build" "$photos" "${@:2}"
