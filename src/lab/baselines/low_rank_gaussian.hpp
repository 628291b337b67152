// Mahalanobis distances with a shrunk class covariance in implicit form: a low-rank factor plus a structured
// matrix, inverted by Woodbury's identity.
#pragma once

#include <cstdint>
#include <span>

#include "fearnet/matrix.hpp"

namespace fearnet::lab {

// The statistics of one class. Its covariance is factor^T . factor + rest * I.
struct LowRankCovariance {
    std::int64_t count = 0;
    Matrix mean;      // 1 x d
    Matrix factor;    // k x d
    double rest = 0;  // variance that `max_rank` left out, spread evenly over all directions

    std::size_t bytes() const { return mean.bytes() + factor.bytes(); }
};

// Of these rows; unbiased (n - 1), zero for a single row. max_rank 0 keeps all.
LowRankCovariance low_rank_covariance(MatrixView rows, std::size_t max_rank);
// The statistics of the rows of both; exact unless the rank was reduced.
LowRankCovariance merged(const LowRankCovariance& a, const LowRankCovariance& b, std::size_t max_rank);

struct WeightedCovariance {
    const LowRankCovariance* covariance;
    double weight;
};
// The covariance of `own` plus the weighted sum of the others; count and mean are those of `own`.
LowRankCovariance calibrated(const LowRankCovariance& own, std::span<const WeightedCovariance> others,
                             std::size_t max_rank);

struct CovarianceShrinkage {
    double gamma1 = 1;        // times the mean variance, onto the diagonal
    double gamma2 = 1;        // times the mean covariance, onto everything else
    bool correlation = true;  // divide row and column j by the root of entry jj afterwards
};

// (x - mean)^T . M^-1 . (x - mean) with, for a covariance C with mean variance V1 and mean covariance V2,
//     S = C + a I + b (1 1^T - I),   a = gamma1 V1,   b = gamma2 V2 held in 0 .. 0.99 (a + rest)
//     M = S, or M_ij = S_ij / sqrt(S_ii S_jj) when `correlation`
// The bounds of b keep S positive definite. A class without any variance gets S = I.
class MahalanobisDistance {
  public:
    MahalanobisDistance(const LowRankCovariance& c, const CovarianceShrinkage& shrinkage);

    // out[i] for every row of x; `work` is scratch space that may be reused.
    void operator()(MatrixView x, std::span<double> out, Matrix& work, Matrix& projected) const;
    // The leave-one-out distance of one of the `count` rows of the class (at least 2). Approximate: the mean
    // variance and the diagonal of S still include the row.
    double left_out(double distance, std::int64_t count) const;
    std::size_t bytes() const { return mean_.bytes() + scale_.bytes() + whitened_.bytes(); }

  private:
    Matrix mean_, scale_;  // 1 x d: a row z is scale * (x - mean)
    Matrix whitened_;      // (k + 1) x d: the distance is (|z|^2 - |whitened . z|^2) / floor
    double floor_ = 1;
};

}  // namespace fearnet::lab
