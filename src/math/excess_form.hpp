// By how much a class's own covariance changes a distance that a shared covariance gives.
#pragma once

#include <span>
#include <vector>

#include "fearnet/base/matrix.hpp"

namespace fearnet::math {

// Symmetric k x k matrices are packed here: the lower triangle, row by row.
constexpr std::size_t packed_size(std::size_t k) {
    return k * (k + 1) / 2;
}

// L with L . L^T = a, lower triangle. Throws Error when `a` is not positive definite.
Matrix cholesky(MatrixView a);

// With P = L . L^T a shared covariance and E what a class's own has more or less than the shared one, in the
// coordinates where P is the identity,
//     S = I + weight (E / 2 + diag(E) / 2)
// the form F with d^T F d = d^T (S^-1 - I) d, back in the given coordinates, and log det S. A row d off the
// class's mean is then, beside what P says, likelier by -(d^T F d + log det S) / 2.
struct ExcessForm {
    std::vector<float> form;  // packed
    double log_determinant = 0;
};
// `excess` is packed; P + E must not be negative, and 0 <= weight < 1. Throws Error when S cannot be
// inverted.
ExcessForm excess_form(MatrixView factor, std::span<const float> excess, double weight);

// d^T F d of a packed form.
inline float quadratic(const float* form, const float* d, std::size_t k) {
    float sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
        float dot = 0;
        for (std::size_t j = 0; j < i; ++j) dot += form[j] * d[j];
        sum += d[i] * (2 * dot + form[i] * d[i]);
        form += i + 1;
    }
    return sum;
}

}  // namespace fearnet::math
