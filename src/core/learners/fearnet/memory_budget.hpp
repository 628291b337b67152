// memory.budget: the permitted size of the statistics, and whether a session fits.
#pragma once

#include <cstddef>
#include <vector>

#include "fearnet/fearnet_options.hpp"

namespace fearnet {

// The numbers that determine the size of the statistics of all classes.
struct StatisticsSize {
    std::size_t networks = 0;  // bytes of the long-term memory's
    std::size_t code_size = 0, inputs = 0;
    std::vector<std::size_t> rows;  // rows per covariance, by class: they bound its rank
};
// An upper bound: factors without the directions of zero variance are smaller.
std::size_t statistics_bytes(const StatisticsOptions& form, const StatisticsSize& size);

// options.statistics or, if that exceeds the budget, the largest smaller form for all classes: a lower rank,
// then diagonal, then diagonal without mean residuals. Throws Error with the numbers if none fits.
StatisticsOptions statistics_within_budget(const FearNetOptions& options, const StatisticsSize& size);

// Size of a router for rows of `inputs` features; 0 for outlier detectors, whose size depends on the rows.
std::size_t expected_router_bytes(const FearNetOptions& options, std::size_t inputs);

// Throws Error, with both numbers and what to do, if `bytes` exceeds the budget.
void require_within_budget(std::size_t bytes, const FearNetOptions& options, bool can_sleep);

}  // namespace fearnet
