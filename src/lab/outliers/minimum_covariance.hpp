// Mean and covariance of the most compact half of a set of rows.
#pragma once

#include <Eigen/Core>

#include "fearnet/progress.hpp"
#include "fearnet/rng.hpp"

namespace fearnet::lab {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Scatter {
    Eigen::RowVectorXd mean;
    Eigen::MatrixXd factor;      // lower Cholesky factor of the covariance
    double log_determinant = 0;  // of the covariance
};
// Of the chosen rows, divided by their number, shrunk towards a multiple of the identity (see
// EllipticEnvelopeOptions). Throws Error when it is singular and shrinkage is 0.
Scatter scatter_of(const Rows& rows, const std::vector<std::size_t>& chosen, double shrinkage);
// Squared Mahalanobis distance of every row.
Eigen::VectorXd squared_distances(const Rows& rows, const Scatter& scatter);

// The rows, (n + d + 1) / 2 of them, whose covariance has the smallest determinant that FAST-MCD finds; all
// of them when there are not more rows than columns. Sorted.
std::vector<std::size_t> most_compact_rows(const Rows& rows, double shrinkage, Rng rng,
                                           const Progress& progress);

}  // namespace fearnet::lab
