// Rows that represent all rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fearnet/matrix.hpp"

namespace fearnet::math {

// Selects `count` of the rows, or all if there are fewer, greedily: each one raises
//     sum_i  max over the selected and the given rows j of  exp((cos(x_i, x_j) - 1) / width)
// most, where i runs over all rows; the smallest row number if several raise it equally. The rows are in the
// order of their selection. Of more than `most` rows, that many, evenly spaced, are candidates and count in
// the sum; `count` beyond them is filled with the other rows in order. Takes O(n^2 (columns + log n)) time
// and O(n^2) memory for n = min(rows, most). The result is the same for any number of threads.
inline constexpr std::size_t kMostRepresented = 8192;
std::vector<std::size_t> representative_rows(MatrixView x, std::size_t count, double width,
                                             MatrixView given = {}, std::size_t most = kMostRepresented);

}  // namespace fearnet::math
