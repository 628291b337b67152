#!/usr/bin/env bash
# Compares the outlier detectors of the router with those of scikit-learn: a table of AUCs and agreement.
#   usage: scripts/compare_sklearn_routers.sh [--data FILE.npz] [--program fearnet_outlier_decisions]
# Uses synthetic rows and, with --data, real rows too. The program is built with -DFEARNET_TESTS=ON. Exits with 1 when a
# detector disagrees, with 77 without python3-sklearn.
set -euo pipefail
root=$(dirname "$(readlink -f "$0")")/..
program=$root/build/release/tests/fearnet_outlier_decisions
data=()
while (($#)); do
    case $1 in
        --data | --program) (($# > 1)) || { echo "compare_sklearn_routers.sh: $1 needs a file" >&2; exit 2; } ;;&
        --data) data=("$2"); shift 2 ;;
        --program) program=$2; shift 2 ;;
        -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit ;;
        *) echo "compare_sklearn_routers.sh: unknown '$1'; --data FILE.npz and --program PROGRAM are possible" >&2; exit 2 ;;
    esac
done
exec /usr/bin/python3 "$root/reference/sklearn_routers.py" "$program" "${data[@]}"
