#!/usr/bin/env bash
# Builds the Debian package of the program and its services, and says what it needs and how to install it.
#   usage: scripts/package.sh        FEARNET_BUILD=DIR uses another build folder than build/package
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. scripts/packages.sh
build=${FEARNET_BUILD:-build/package}

scripts/install_packages.sh "${build_packages[@]}" dpkg-dev file >&2
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DFEARNET_TESTS=OFF -DFEARNET_BENCHMARKS=OFF -DFEARNET_PYTHON=OFF >/dev/null
cmake --build "$build" -j "$(nproc)" --target fearnet_cli >/dev/null
rm -f "$build"/fearnet_*.deb
# Not the target "package", which would build everything else first.
(cd "$build" && cpack -D CPACK_CMAKE_GENERATOR=Ninja >package.log 2>&1) || {
    cat "$build/package.log" >&2
    exit 1
}
package=$(echo "$build"/fearnet_*.deb)
echo "$package: $(stat -c %s "$package") bytes, $(dpkg-deb -f "$package" Installed-Size) kB installed"
echo "needs: $(dpkg-deb -f "$package" Depends)"
echo
echo "sudo apt install ./$package"
echo "sudo systemctl enable --now fearnet@pets     # serves /var/lib/fearnet/pets.brain at http://127.0.0.1:7077"
