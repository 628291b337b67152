#!/usr/bin/env bash
# Teaches the same data to the closed-form learners and to scikit-learn, and compares their predictions row by row.
#   usage: scripts/compare_sklearn.sh [--data FILE.npz] [--program fearnet_predictions]
# Without --data, uses synthetic data. The program is built with -DFEARNET_TESTS=ON. Exits with 1 if a learner
# disagrees, with 77 if scikit-learn is not installed (Debian: apt-get install python3-sklearn python3-numpy).
set -euo pipefail
root=$(dirname "$(readlink -f "$0")")/..
python=/usr/bin/python3
"$python" -c 'import numpy, sklearn' 2>/dev/null ||
    { echo "skipped: no scikit-learn; apt-get install python3-sklearn python3-numpy"; exit 77; }
exec "$python" "$root/reference/compare_sklearn.py" --program "$root/build/release/tests/fearnet_predictions" "$@"
