#include "fearnet/error.hpp"
#include "research/mpi_ranks.hpp"

namespace fearnet::cli {

MpiRanks::MpiRanks() {
    throw Error(
        "started by mpirun, but this program was built without MPI: every rank would do everything; build "
        "with "
        "-DFEARNET_MPI=ON (package libopenmpi-dev), or run on one machine with --jobs N and no mpirun");
}
MpiRanks::~MpiRanks() = default;
bool MpiRanks::first() const {
    return true;
}
std::vector<std::unique_ptr<Slot>> MpiRanks::slots(const std::filesystem::path&) {
    return {};
}
void MpiRanks::serve() {}

}  // namespace fearnet::cli
