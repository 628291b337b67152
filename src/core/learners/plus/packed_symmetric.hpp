// A covariance or scatter matrix in a quarter of its memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fearnet/state.hpp"

namespace fearnet {

// One triangle, every entry as a 16-bit share of the roots of its two diagonal entries, which are kept as
// they are. Each packing is off by at most 1.6e-5 of these roots. Packing what was unpacked changes nothing.
class PackedSymmetric {
  public:
    PackedSymmetric() = default;
    // Square; only the lower triangle is read, no entry of it larger than the roots of its diagonal entries
    // allow.
    explicit PackedSymmetric(const Matrix& m);

    // The lower triangle, with zeros above it.
    Matrix unpacked() const;
    std::size_t size() const { return roots_.size(); }
    std::size_t bytes() const {
        return roots_.size() * sizeof(roots_[0]) + shares_.size() * sizeof(shares_[0]);
    }

    void save(State& state, const std::string& prefix) const;
    // Throws Error unless it is a matrix of this size.
    static PackedSymmetric load(const State& state, const std::string& prefix, std::size_t size);

  private:
    std::vector<float> roots_;          // of the diagonal
    std::vector<std::int16_t> shares_;  // below the diagonal, row by row
};

}  // namespace fearnet
