// How sure scores are.
#pragma once

#include <cstdint>
#include <span>

#include "fearnet/base/matrix.hpp"

namespace fearnet {

// The t at which softmax(scores / t) gives the rows' own columns the largest likelihood, between 1/1000 and
// 1000; 1 without rows.
double likeliest_temperature(MatrixView scores, std::span<const std::int32_t> columns);

}  // namespace fearnet
