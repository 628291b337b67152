// What memory.budget allows: how large statistics may be, and whether a session still fits.
#pragma once

#include <cstddef>
#include <vector>

#include "fearnet/fearnet_options.hpp"

namespace fearnet {

// What the bytes of the statistics of all classes depend on.
struct StatisticsSize {
    std::size_t networks = 0;  // bytes of the long-term memory's
    std::size_t code_size = 0, inputs = 0;
    std::vector<std::size_t> rows;  // per class: how many its covariance is made from, which bounds the rank
};
// At most; factors that drop directions without variance are smaller.
std::size_t statistics_bytes(const StatisticsOptions& form, const StatisticsSize& size);

// options.statistics or, so that the budget is kept, the next smaller form, one for all classes: the largest
// rank, then diagonal, then diagonal without mean residuals. Throws Error naming the numbers when not even
// that fits.
StatisticsOptions statistics_within_budget(const FearNetOptions& options, const StatisticsSize& size);

// Of a router that will be fitted for rows of `inputs` features; 0 for outlier detectors, whose size depends
// on the rows.
std::size_t expected_router_bytes(const FearNetOptions& options, std::size_t inputs);

// Throws Error naming both numbers and what to do when `bytes` are more than the budget.
void require_within_budget(std::size_t bytes, const FearNetOptions& options, bool can_sleep);

}  // namespace fearnet
