// How much speaks for a class, compared with no class in particular.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/learners/kit/linear_readout.hpp"

namespace fearnet {

// The relative Mahalanobis distance: twice the logarithm of the likelihood ratio of class k against a
// background. Class k is a Gaussian with mean m_k and covariance W, the background one with the mean c of the
// class means and the covariance W plus that of the class means. With y = W^-1/2 (x - c), z_k = W^-1/2 (m_k -
// c) and p_k = y . z_k,
//     r_k = 2 p_k - |z_k|^2 - p' (n I + z z')^-1 p          n classes
// Everything follows from the scores W^-1 m_k . x - m_k . W^-1 m_k / 2 of a linear read-out.
//
// The evidence depends on the number of classes, on W and on the means. Standardized evidence does so far
// less: evidence minus its mean over the rows of a class, divided by its standard deviation, both in closed
// form for rows that are Gaussian with covariance v W around their mean.
class Evidence {
  public:
    // Classes whose means make up the background, and the rank of their covariance.
    static constexpr std::size_t kBackgroundClasses = 1024, kBackgroundRank = 32;

    Evidence() = default;
    // `readout` has W^-1 m_k times `unit` as weights, and the biases of distances; `variance` is v.
    Evidence(const LinearReadout& readout, const Matrix& means, double unit, double variance);

    bool empty() const { return norms_.empty(); }
    // Rows of the model, each to be scored as if it had not been taught.
    struct Rows {
        MatrixView x;
        MatrixView residuals;  // r: without the row, the mean of its class of n rows is m_c - r / (n - 1)
        MatrixView solved;     // W^-1 r
        std::span<const std::int32_t> columns;
        std::span<const std::int64_t> counts;  // rows of every class
        double in_covariance = 0;  // number of rows that W is made of, with these; 0: without them
    };
    // Standardized; `own` is that for the class of the row, `own_as_best` the same in the units of `best`.
    struct OfRows {
        std::vector<double> best, own_as_best, own;
    };
    OfRows left_out(const LinearReadout& readout, const Matrix& means, const Rows& rows) const;
    // By row, from the scores of the read-out.
    std::vector<double> best(const Matrix& scores) const;
    // Rows x classes.
    Matrix of_classes(const Matrix& scores) const;

    std::size_t bytes() const;

  private:
    struct Background {
        std::vector<double> shift;   // r_k is 2 score_k / unit plus this
        std::vector<double> ground;  // the last term of r_k
    };
    Background background(const Matrix& scores) const;
    std::vector<double> ground_of_products(const Matrix& products) const;
    double standardized(std::size_t k, double evidence) const {
        return (evidence - static_cast<double>(peaks_[k])) / static_cast<double>(deviations_[k]);
    }
    // All classes share one center and scale, so that the order of the rows stays that of their evidence.
    double best_standardized(double evidence) const { return (evidence - mean_peak_) / mean_deviation_; }

    double unit_ = 1, constant_ = 0, mean_bias_ = 0;
    std::vector<float> norms_;  // |z_k|^2
    std::vector<float> peaks_, deviations_;
    double mean_peak_ = 0, mean_deviation_ = 1;
    Matrix background_;  // rank x some classes: b_i, with p' (n I + z z')^-1 p = sum (b_i . p)^2
    std::vector<std::size_t> background_classes_;
};

// The variance of rows along the class means, of their residuals: the mean of (r . z_k)^2 / |z_k|^2 with z_k
// as weights. `residuals` are x - m_c, with m_c from all rows of the class. 0 if the means do not differ.
double variance_along_means(const Matrix& means, MatrixView residuals, std::span<const std::int32_t> columns,
                            std::span<const std::int64_t> counts);

}  // namespace fearnet
