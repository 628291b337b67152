#!/usr/bin/env bash
# Runs the program on an emulated CPU without AVX and FMA: makes a brain of each learner, teaches it, lets it sleep and
# asks it. Exit code 77 (skipped) without Debian's qemu-user.   usage: nehalem.sh FEARNET
set -euo pipefail
program=$1
if ! command -v qemu-x86_64 >/dev/null; then
    echo "skipped: no qemu-x86_64 (Debian: qemu-user)"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
old() {
    qemu-x86_64 -cpu Nehalem "$program" "$@"
}
# Three classes far apart; enough columns for every vector loop and its rest.
awk 'BEGIN { srand(1); for (c = 0; c < 3; ++c) for (i = 0; i < 12; ++i) {
    for (j = 0; j < 37; ++j) printf "%.3f,", 4 * (j % 3 == c) + rand(); print "class" c } }' >rows.csv
grep class2 rows.csv >new.csv
grep -v class2 rows.csv >base.csv
small=(--set network.hidden=12,8 --set training.base_epochs=20 --set sleep.epochs=10 --set amygdala.epochs=5)
for learner in fearnet fearnet-plus; do
    options=()
    [ $learner = fearnet ] && options=("${small[@]}")
    old new $learner.brain --learner $learner "${options[@]}"
    old learn $learner.brain base.csv
    old learn $learner.brain new.csv
    old sleep $learner.brain
    old evaluate $learner.brain rows.csv | tee evaluation
    grep -q 'accuracy 100.0 %' evaluation || { echo "nehalem: $learner is wrong about classes that are far apart"; exit 1; }
done
