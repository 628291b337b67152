// Class means that know how uncertain they are.
#pragma once

#include "learners/baselines/linear_readout.hpp"

namespace fearnet {

// Probabilistic LDA as a linear read-out. Class means are taken as drawn around a common center, with a
// variance b_i in each direction i in which they differ. Along it the rows of a class vary by p_i / doubt, so
// that with a doubt of one the mean of n rows is worth g = b / (b + p / n) of what it says, and is off by
// another b (1 - g):
//     score_c(x) = -1/2 sum_i (a_i(x) - g_ci z_ci)^2 / v_i,  v_i = 1 + b (1 - g)    without what all share
// with a_i and z_ci the coordinates of the row and of the class's mean, in units of the shared covariance,
// which is larger than p_i / doubt by its ridge; rows that are not independent are worth fewer: doubt. v_i is
// that of a class of average size, which keeps the scores linear. `lda` is the read-out of the same moments
// with that ridge, and is what is returned for no doubt, and for more than kMostPosterior classes: then
// finding the directions would cost more than it gives.
LinearReadout posterior_readout(const ClassMoments& moments, const LinearReadout& lda, double ridge,
                                double doubt);

inline constexpr std::size_t kMostPosterior = 400;

}  // namespace fearnet
