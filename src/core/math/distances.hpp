// Exact nearest distances.
#pragma once

#include <cstdint>
#include <span>

#include "fearnet/matrix.hpp"

namespace fearnet::math {

float dot(const std::int8_t* a, const float* b, std::size_t n);

// Summed in a fixed order: the same two rows give the same bits wherever they are compared.
float squared_distance(const float* a, const float* b, std::size_t n);
float squared_norm(const float* a, std::size_t n);

// out[i] = min_j |x_i - u_j|^2 over the rows of u, exactly as squared_distance computes it: products find the
// candidates, and every row that rounding could have hidden is compared directly. `u_norms[j]` is
// squared_norm(u_j). u has at least one row.
void nearest_squared_distances(MatrixView x, MatrixView u, std::span<const float> u_norms,
                               std::span<float> out);

// Rows begin .. end - 1 of u belong to `group`.
struct RowGroup {
    std::size_t group = 0, begin = 0, end = 0;
};
// The same for every group of the rows of u: out(i, g) = min_j |x_i - u_j|^2 over the rows of group g, or
// infinity if it has none. `groups` cover u in order; a group may come several times. One product serves all
// groups, which is much faster than one for each when they are small.
void nearest_squared_distances(MatrixView x, MatrixView u, std::span<const float> u_norms,
                               std::span<const RowGroup> groups, MutableMatrixView out);

// The plain double loop, for tests.
void nearest_squared_distances_reference(MatrixView x, MatrixView u, std::span<float> out);

}  // namespace fearnet::math
