#!/usr/bin/env bash
# The accuracy numbers of docs/results.md.
#   usage: scripts/measure_accuracy.sh DATA_DIR OUT_DIR [SEEDS] [EXTRA...]
# DATA_DIR holds cub200.npz, audioset100.npz and cifar100.npz (any that is missing is skipped and named); OUT_DIR gets one
# folder per data set. SEEDS is a comma-separated list (default 1,2,3); EXTRA goes to `fearnet run`.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 2; }
data=$1 out=$2 seeds=${3:-1,2,3}
fearnet=$(dirname "$(readlink -f "$0")")/../build/release/fearnet
for pair in audioset100:audioset cub200:cub200 cifar100:cifar100; do
    name=${pair%%:*} preset=${pair##*:}
    if [ ! -f "$data/$name.npz" ]; then
        echo "skipped $name: no $data/$name.npz"
        continue
    fi
    "$fearnet" run "$data/$name.npz" --preset "$preset${PRESET_MORE:+,$PRESET_MORE}" --seeds "$seeds" --out "$out/$name" "${@:4}"
done
