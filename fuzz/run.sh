#!/usr/bin/env bash
# Fuzzes the file readers under ASan and UBSan, and keeps what is worth keeping in fuzz/corpus.
#   usage: fuzz/run.sh [SECONDS_PER_FORMAT] [FORMAT...]      (default: 360 seconds, all formats)
# Installs clang when it is missing. A finding ends it with an error; the input is then in build/fuzz/findings.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
cd "$root"
. scripts/packages.sh
scripts/install_packages.sh "${fuzz_packages[@]}"
seconds=${1:-360}
formats=("${@:2}")
[ ${#formats[@]} -gt 0 ] ||
    mapfile -t formats < <(sed -n 's/^set(formats \(.*\))$/\1/p' fuzz/CMakeLists.txt | tr ' ' '\n')
work=build/fuzz
limits=(-max_len=65536 -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=65536)

# The repository holds a regression corpus, not an archive: of all sizes, but at most 48 files and 64 KiB.
keep_some() {
    local from=$1 to=$2 step=0 all chosen i
    mapfile -t all < <(ls -S "$from")
    while [ $((++step)) -eq 1 ] || [ ${#chosen[@]} -gt 48 ] || [ "$(cat "${chosen[@]}" | wc -c)" -gt 65536 ]; do
        chosen=()
        for ((i = 0; i < ${#all[@]}; i += step)); do chosen+=("$from/${all[i]}"); done
    done
    cp "${chosen[@]}" "$to"
}

# Too large an allocation throws std::bad_alloc, as without a sanitizer, and does not end the program.
export ASAN_OPTIONS=allocator_may_return_null=1
# Threads of OpenMP that wait for work would take the processor from the fuzzer.
export OMP_NUM_THREADS=1
export LSAN_OPTIONS=suppressions=$PWD/fuzz/leaks.supp:print_suppressions=0

cmake --preset fuzz >/dev/null
cmake --build "$work" -j "$(nproc)" --target fuzz_state_seeds fuzz_media_seeds "${formats[@]/#/fuzz_}"

# Seeds join the corpus only if the merge finds them worth it.
fuzz/seeds.py "$work/seeds"
mkdir -p "$work/seeds/state" "$work/seeds/brain" "$work/findings"
"$work/fuzz/fuzz_state_seeds" "$work/seeds/state" "$work/seeds/brain"
"$work/fuzz/fuzz_media_seeds" "$work/seeds"

for format in "${formats[@]}"; do
    found=$work/found/$format kept=$work/kept/$format corpus=fuzz/corpus/$format
    mkdir -p "$found" "$corpus"
    echo "$format: $seconds seconds"
    "$work/fuzz/fuzz_$format" "${limits[@]}" -max_total_time="$seconds" -print_final_stats=1 \
        -artifact_prefix="$work/findings/$format-" "$found" "$corpus" "$work/seeds/$format" \
        >"$work/$format.log" 2>&1 || {
        tail -n 40 "$work/$format.log" >&2
        echo "fuzz/run.sh: $format: a finding; the input is in $work/findings" >&2
        exit 1
    }
    grep -E '^stat::(number_of_executed_units|peak_rss_mb)|^#[0-9]+.DONE' "$work/$format.log"

    # Few files for all the edges: counts of how often each was taken would keep hundreds.
    rm -rf "$kept" && mkdir -p "$kept"
    "$work/fuzz/fuzz_$format" "${limits[@]}" -set_cover_merge=1 -use_counters=0 \
        "$kept" "$corpus" "$work/seeds/$format" "$found" >"$work/$format.merge.log" 2>&1
    rm -f "$corpus"/*
    keep_some "$kept" "$corpus"
done
echo "Corpora: $(find fuzz/corpus -type f | wc -l) files, $(du -sb fuzz/corpus | cut -f1) bytes"
