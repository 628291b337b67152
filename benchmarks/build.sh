# Builds one benchmark program in release; sourced by the scripts here, from the top of the repository.
# FEARNET_BUILD is the build folder, build/release if not set.
. scripts/packages.sh
build=${FEARNET_BUILD:-build/release}

build_benchmark() {
    scripts/install_packages.sh "${build_packages[@]}" >&2
    cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DFEARNET_BENCHMARKS=ON >/dev/null
    cmake --build "$build" -j "$(nproc)" --target "$1" >/dev/null
}
