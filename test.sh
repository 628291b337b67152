#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#   ./test.sh              release build, all tests
#   ./test.sh PRESET...    the same for other presets: dev, eigen, asan, tsan
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
. scripts/packages.sh

scripts/install_packages.sh "${test_packages[@]}"
for wanted in "${judge_packages[*]}" "${mpi_packages[*]}"; do
    # shellcheck disable=SC2086  # a list of names
    scripts/install_packages.sh $wanted ||
        echo "test.sh: not all of $wanted can be had; the tests that need them are skipped"
done
for preset in "${@:-release}"; do
    cmake --preset "$preset" -DFEARNET_TESTS=ON >/dev/null
    cmake --build --preset "$preset" -j "$(nproc)"
    "build/$preset/fearnet" datasets --fetch languages ||
        echo "test.sh: no data set 'languages' (see the line above); the tests that need it are skipped"
    ctest --preset "$preset" -j "$(nproc)"
done
