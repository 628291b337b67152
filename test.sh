#!/usr/bin/env bash
# Installs missing packages, builds, and runs the tests.
#   ./test.sh [--quick | --soak] [--werror] [PRESET...]
#     PRESET     release (default), dev, eigen, asan or tsan
#     --quick    only the tests labeled quick: less than a minute on two cores
#     --soak     every test, also those labeled soak, which kill hundreds of processes
#     --werror   compiler warnings are errors
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
. scripts/packages.sh

usage() {
    sed -n 's/^# \{0,1\}//p' "$0" | sed -n '2,7p'
}
labels=(--label-exclude soak)
options=(-DFEARNET_TESTS=ON)
presets=()
for argument in "$@"; do
    case $argument in
        --quick) labels=(--label-regex '^quick$') ;;
        --soak) labels=() ;;
        --werror) options+=(-DFEARNET_WERROR=ON) ;;
        -h | --help) usage; exit ;;
        -*) echo "test.sh: unknown option $argument" >&2; usage >&2; exit 2 ;;
        *) presets+=("$argument") ;;
    esac
done

scripts/install_packages.sh "${test_packages[@]}"
for wanted in "${judge_packages[*]}" "${mpi_packages[*]}"; do
    # shellcheck disable=SC2086  # a list of names
    scripts/install_packages.sh $wanted ||
        echo "test.sh: not all of $wanted can be had; the tests that need them are skipped"
done
for preset in "${presets[@]:-release}"; do
    cmake --preset "$preset" "${options[@]}" >/dev/null
    cmake --build --preset "$preset" -j "$(nproc)"
    "build/$preset/fearnet" datasets --fetch languages ||
        echo "test.sh: no data set 'languages' (see the line above); the tests that need it are skipped"
    for kind in image sound text; do
        "build/$preset/fearnet" models fetch "$kind" ||
            echo "test.sh: no model for $kind (see the line above); the tests that need it are skipped"
    done
    ctest --preset "$preset" "${labels[@]}" -j "$(nproc)"
done
