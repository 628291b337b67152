// How the output of an embedding network becomes one row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "data/frontends/models/description.hpp"

namespace fearnet {

// Collects the positions of one input, over all its windows.
class Pool {
  public:
    Pool(Pooling pooling, std::size_t features) : pooling_(pooling), sum_(features), square_(features) {}

    // One position.
    void add(std::span<const float> values);
    // As many positions, one after the other.
    void add_all(std::span<const float> values);
    std::size_t features() const { return sum_.size(); }
    // The row. At least one position was added.
    std::vector<float> row() const;

  private:
    Pooling pooling_;
    std::vector<double> sum_, square_;
    std::size_t count_ = 0;
};

}  // namespace fearnet
