// A Gaussian around the bulk of the rows: minimum covariance determinant (Rousseeuw, Van Driessen: A fast
// algorithm for the minimum covariance determinant estimator, 1999), robust against outliers among them.
#pragma once

#include "fearnet/rng.hpp"
#include "lab/outliers/outlier_detector.hpp"

namespace fearnet::lab {

struct EllipticEnvelopeOptions {
    double contamination = 0.1;  // share of the fitted rows that are called outliers
    // Every covariance S becomes (1 - shrinkage) S + shrinkage trace(S) / d I: needed when there are about as
    // many columns as rows, or columns that do not vary.
    double shrinkage = 0;
};

// The decision value is the threshold minus the squared Mahalanobis distance. The threshold is a quantile of
// the distances of the fitted rows; with fewer than five rows per column, of their cross-validated distances.
class EllipticEnvelope final : public OutlierDetector {
  public:
    // rows is not empty. Throws Error when a covariance is singular and shrinkage is 0. Reports progress
    // start by start.
    static EllipticEnvelope fit(MatrixView rows, const EllipticEnvelopeOptions& options, Rng rng,
                                const Progress& progress);

    std::vector<double> decision(MatrixView rows) const override;
    std::vector<double> squared_distances(MatrixView rows) const;
    std::size_t width() const override { return mean_.cols(); }
    std::size_t bytes() const override { return mean_.bytes() + whitening_.bytes() + sizeof(float); }
    void save(State& state, const std::string& prefix) const override;
    static EllipticEnvelope load(const State& state, const std::string& prefix);

    const Matrix& mean() const { return mean_; }

  private:
    Matrix mean_;       // 1 x d
    Matrix whitening_;  // d x d: |(x - mean) whitening|^2 is the squared distance
    float threshold_ = 0;
};

}  // namespace fearnet::lab
