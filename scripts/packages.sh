# The Debian 12 packages that the project needs; sourced by demo.sh and test.sh. The CMake file of libdnnl-dev looks for OpenCL,
# which that package only recommends.
build_packages=(g++ cmake make pkg-config libeigen3-dev libdnnl-dev ocl-icd-opencl-dev zlib1g-dev libfmt-dev
                nlohmann-json3-dev libsvm-dev libsqlite3-dev libcli11-dev libturbojpeg0-dev libpng-dev libwebp-dev
                libsndfile1-dev libmpg123-dev libsoxr-dev libmicrohttpd-dev ca-certificates tar)
test_packages=("${build_packages[@]}" libgtest-dev python3 python3-numpy libxml2-utils
               python3-dev pybind11-dev)
# Packages that some tests compare with or run in; without them those tests are skipped.
judge_packages=(python3-sklearn python3-opencv python3-pil python3-venv chromium qemu-user clang zsh fish)
# For fuzz/run.sh.
fuzz_packages=("${build_packages[@]}" clang python3 python3-numpy)
# For -DFEARNET_MPI=ON, and for the test of mpirun.
mpi_packages=(libopenmpi-dev openmpi-bin)
