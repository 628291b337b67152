// Mean and covariance of a set of rows, in the form that sampling needs.
#pragma once

#include <cstdint>
#include <span>

#include "fearnet/matrix.hpp"

namespace fearnet::math {

// A Gaussian as mean + z . factor with z standard normal: factor^T factor is the covariance. Works for a
// singular covariance (fewer rows than columns): directions without variance are left out of the factor.
struct Gaussian {
    Matrix mean;    // 1 x d
    Matrix factor;  // rank x d, eigenvectors scaled by the roots of their eigenvalues; 1 x d deviations if
                    // diagonal
    bool diagonal = false;

    std::size_t bytes() const { return mean.bytes() + factor.bytes(); }
};

// Unbiased (n - 1) covariance of the rows through an eigen decomposition; a single row has none. The factor
// keeps at most `max_rank` directions, those of largest variance; 0 means all.
Gaussian fit_gaussian(MatrixView rows, bool diagonal, std::size_t max_rank = 0);

// The Gaussian of two sets of rows together from the Gaussians of each: exactly what fit_gaussian gives for
// all rows when the weights are the numbers of rows. Weights above 0, one of them at least 1, need not be
// whole numbers. Both are diagonal or neither is.
Gaussian merge(const Gaussian& a, double weight_a, const Gaussian& b, double weight_b,
               std::size_t max_rank = 0);

// Writes one draw to out[0 .. d): a function of the seed, whose 64 bits should be well mixed.
void sample(const Gaussian& gaussian, std::uint64_t seed, float* out);
// Several at once, the same numbers: the factor is read once for 32 of them.
void sample(const Gaussian& gaussian, std::span<const std::uint64_t> seeds, std::span<float* const> out);

// d x d, for tests and for counting.
Matrix covariance(const Gaussian& gaussian);

}  // namespace fearnet::math
