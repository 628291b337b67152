// Class means without the chance in them.
#pragma once

#include <vector>

#include "core/learners/plus/shared_metric.hpp"

namespace fearnet {

// The means of classes as a linear read-out. Means of few rows are off by chance in every direction in which
// rows vary, and since there are more of those than classes, all of them together blur the directions in
// which the means differ. Along such a direction i, with the variance e_i of the means as they are, chance is
// worth
//     p_i = doubt (q_i + freedom / (classes - 1)),   q_i the variance of rows along i
// of one row, so that the true means vary by b_i = e_i - p_i mean(1 / n), that of n rows counts
// g = b / (b + p / n) of what it says, and rows vary by v_i = 1 + b (1 - g) around it:
//     score_c(x) = -1/2 sum_i (a_i(x) - g_ci z_ci)^2 / v_i                     without what all classes share
// with a_i and z_ci the coordinates of the row and of the class's mean from the center of all means, in units
// of the shared covariance. v_i is that of a class of average size, which keeps the scores linear.
//
// A pull of 1 takes rows of a class as more or less of its mean, not only around it: what counts is the
// angle to the mean seen from the center, not the distance to it. Between 0 and 1 it is some of both:
//     score_c(x) = (a . z_c - (1 - pull) / 2 |z_c|^2) (mean |z| / |z_c|)^pull
// with z_c as trusted and in units of v.
class PosteriorMeans {
  public:
    // `lda` is the read-out of these moments in this metric. With `doubted` false only readout(0, ..) may be
    // asked for. For more than kMost classes finding the directions would cost more than it gives, and doubt
    // makes no difference.
    PosteriorMeans(const ClassMoments& moments, const LinearReadout& lda, const SharedMetric& metric,
                   bool doubted = true);
    static constexpr std::size_t kMost = 400;

    LinearReadout readout(double doubt, double pull) const;

  private:
    // A direction in which means differ.
    struct Direction {
        double sum;   // of the squared means along it
        double rows;  // variance of rows
    };
    // The means as trusted: their functions of the features in units of v, and their squared lengths.
    void trusted(double doubt, Matrix& weights, std::vector<double>& lengths) const;

    std::vector<std::int64_t> counts_;
    std::vector<double> center_;   // of the means
    Matrix plain_;                 // classes x features: the means' functions as they are
    std::vector<double> lengths_;  // squared, of the means as they are
    std::vector<Direction> directions_;
    Matrix along_, functions_;  // classes x directions, of length one each; directions x features
    double freedom_ = 0;
};

}  // namespace fearnet
