#!/usr/bin/env bash
# Builds the C API for size (preset "small") and measures it: the stripped archive, the C example, and what the example
# is linked with. Fails when the archive has 3 MB or more, or when something else than the C and C++ runtime and SQLite
# is linked.   usage: scripts/small_build.sh [options of `cmake --preset small`]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
build=build/small
limit=3000000

cmake --preset small "$@" >/dev/null
cmake --build --preset small -j "$(nproc)" | grep -E 'error|warning|Linking' || [ "${PIPESTATUS[0]}" -eq 0 ]

archive=$build/libfearnet_small_stripped.a
cp $build/libfearnet_small.a $archive
strip --strip-unneeded $archive
archive_bytes=$(stat -c %s $archive)
example_bytes=$(stat -c %s $build/fearnet_c_quick_start)
echo "libfearnet_small.a, stripped: $archive_bytes bytes"
echo "the C example, stripped:      $example_bytes bytes"
linked=$(ldd $build/fearnet_c_quick_start)
echo "$linked"

rm -f $build/quick_start.brain*
$build/fearnet_c_quick_start $build/quick_start.brain

# libm's and SQLite's own needs (libz in some builds of it) come from the loader, not from us: look at what we asked for.
foreign=$(objdump -p $build/fearnet_c_quick_start | awk '/NEEDED/ {print $2}' |
    grep -Ev '^(libc|libm|libgcc_s|libstdc\+\+|libsqlite3|ld-linux.*)\.so' || true)
if [ -n "$foreign" ]; then
    echo "small_build: linked against more than it should: $foreign" >&2
    exit 1
fi
if [ "$archive_bytes" -ge $limit ]; then
    echo "small_build: the archive has $archive_bytes bytes, which is not below $limit" >&2
    exit 1
fi
