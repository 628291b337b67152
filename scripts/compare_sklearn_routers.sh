#!/usr/bin/env bash
# The outlier detectors of the router beside scikit-learn's: a table of AUCs and agreement.
#   usage: scripts/compare_sklearn_routers.sh [PROGRAM]
# PROGRAM is fearnet_outlier_decisions (default: the release build's). Exits 77 without python3-sklearn.
set -euo pipefail
root=$(dirname "$(readlink -f "$0")")/..
exec /usr/bin/python3 "$root/reference/sklearn_routers.py" \
    "${1:-$root/build/release/tests/fearnet_outlier_decisions}"
