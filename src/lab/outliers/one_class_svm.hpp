// One-class support vector machine (Schoelkopf et al.: Estimating the support of a high-dimensional
// distribution, 2001) with a Gaussian kernel. libsvm finds the support vectors.
#pragma once

#include "lab/outliers/outlier_detector.hpp"

namespace fearnet::lab {

struct OneClassSvmOptions {
    double nu = 0.5;   // at most this share of the fitted rows are outliers, at least this share support
    double gamma = 0;  // of exp(-gamma |x - y|^2); 0: 1 / (columns * variance of all entries)
};

// decision is sum_i alpha_i exp(-gamma |x - s_i|^2) - rho over the support vectors s_i, which are copies of
// fitted rows.
class OneClassSvm final : public OutlierDetector {
  public:
    // rows is not empty. Reports progress before and after training, which cannot be interrupted itself.
    static OneClassSvm fit(MatrixView rows, const OneClassSvmOptions& options, const Progress& progress);

    std::vector<double> decision(MatrixView rows) const override;
    std::size_t width() const override { return support_.cols(); }
    std::size_t bytes() const override;
    void save(State& state, const std::string& prefix) const override;
    static OneClassSvm load(const State& state, const std::string& prefix);

    std::size_t support_vectors() const { return support_.rows(); }

  private:
    void measure();  // norms_ from support_

    Matrix support_;            // one support vector per row
    Matrix weights_;            // 1 x support vectors: alpha
    std::vector<float> norms_;  // squared lengths of the support vectors
    float gamma_ = 1, rho_ = 0;
};

}  // namespace fearnet::lab
