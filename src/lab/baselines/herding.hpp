// Herding: selection of the exemplars of a class (Rebuffi et al. 2017, Algorithm 4).
#pragma once

#include <cstddef>
#include <vector>

#include "fearnet/matrix.hpp"

namespace fearnet::lab {

// Scales every row to length one; a row of zeros stays.
void normalize_rows(MutableMatrixView rows);

// 1 x cols: the mean of the rows, scaled to length one.
void unit_mean(MatrixView rows, float* out);

// Indices of min(count, rows) different rows, best first, such that the mean of the first j is near the mean
// mu of all for every j: start with w = mu, take the row with the largest w . row (the first of equals), then
// add mu - row to w.
std::vector<std::size_t> herd(MatrixView unit_rows, std::size_t count);

}  // namespace fearnet::lab
