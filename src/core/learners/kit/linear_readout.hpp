// Linear scores in closed form from class moments.
#pragma once

#include <span>

#include "core/learners/kit/class_moments.hpp"

namespace fearnet {

// score_c(x) = w_c . x + b_c
struct LinearReadout {
    Matrix weights;           // classes x d
    std::vector<float> bias;  // one per class

    Matrix scores(MatrixView x) const;
    std::size_t bytes() const { return weights.bytes() + bias.size() * sizeof(float); }
};

// b_c = -w_c . m_c / 2: of scores that are quadratic distances without the term all classes share.
std::vector<float> distance_bias(const Matrix& weights, const Matrix& means);

// The nearest mean: w_c = m_c, b_c = -|m_c|^2 / 2; `unit_length` scales the means to length one first.
LinearReadout nearest_mean_readout(const ClassMoments& moments, bool unit_length);

// Gaussian classes with one covariance and equal priors:
//     S = scatter / n + shrinkage * mean(diag(scatter / n)) * I,  w_c = S^-1 m_c,  b_c = -w_c . m_c / 2
// A scatter of zero gives the nearest mean. Throws Error when S cannot be factored (shrinkage too small).
LinearReadout lda_readout(const ClassMoments& moments, double shrinkage);
// The same. Also turns residuals of rows into S^-1 times them, and finds the variance of new rows along the
// class means in units of S: S was fitted to the rows, so that new ones vary more.
struct LdaSolution {
    LinearReadout readout;
    double variance = 1;
};
LdaSolution lda_solution(const ClassMoments& moments, double shrinkage, Matrix& residuals);

// Least squares to one-hot targets with an L2 penalty on the weights of lambda times the mean diagonal of the
// Gram matrix; with an intercept, which is not penalized, rows are centered first. Throws Error as above.
LinearReadout ridge_readout(const ClassMoments& moments, double lambda, bool intercept);

// Scores of rows that are in the moments, each row as if it were not. The penalty stays.
struct LeftOut {
    LinearReadout readout;  // of all rows
    Matrix scores;
};
LeftOut ridge_left_out(const ClassMoments& moments, double lambda, bool intercept, MatrixView rows,
                       std::span<const std::int32_t> columns);
// Of the nearest mean. The classes of the rows have at least two rows each.
Matrix nearest_mean_left_out(const ClassMoments& moments, bool unit_length, const LinearReadout& readout,
                             MatrixView rows, std::span<const std::int32_t> columns);

// The scale of a read-out's scores: how far a class's score at its own mean is above the mean score there, on
// average. 1 when that is nothing.
double score_unit(const LinearReadout& readout, const ClassMoments& moments);

}  // namespace fearnet
