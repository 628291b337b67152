// How sure scores are.
#pragma once

#include <cstdint>
#include <span>

#include "fearnet/matrix.hpp"

namespace fearnet {

// The t at which softmax(scores / t) gives the rows' own columns the largest likelihood, between
// 1 / kMostTemperature and kMostTemperature; 1 without rows. It counts as if one row more had been of any
// other column, so that few rows that are all right do not make it sure of everything.
inline constexpr double kMostTemperature = 1000;
double likeliest_temperature(MatrixView scores, std::span<const std::int32_t> columns);

}  // namespace fearnet
