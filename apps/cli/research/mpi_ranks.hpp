// A sweep spread over the ranks of mpirun. Only mpi_ranks.cpp knows MPI; in a build without it,
// mpi_ranks_none.cpp takes its place.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "research/sweep.hpp"

namespace fearnet::cli {

// MPI from construction to destruction; make at most one. When rank 0 ends it, the other ranks stop serving.
class MpiRanks {
  public:
    // Throws Error, saying how to build, in a build without MPI.
    MpiRanks();
    ~MpiRanks();
    MpiRanks(const MpiRanks&) = delete;
    MpiRanks& operator=(const MpiRanks&) = delete;

    bool first() const;
    // For rank 0: a slot in every rank, its own first. They use `directory`, which all ranks must see. The
    // slots must not outlive this.
    std::vector<std::unique_ptr<Slot>> slots(const std::filesystem::path& directory);
    // For the others: does the jobs that rank 0 sends until it ends.
    void serve();
};

}  // namespace fearnet::cli
