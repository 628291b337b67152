// Class means that know how uncertain they are.
#pragma once

#include "learners/baselines/linear_readout.hpp"

namespace fearnet {

// Probabilistic LDA as a linear read-out. Class means are taken as drawn around a common center, with a
// variance b_i in each direction i in which they differ (in units of the shared covariance), so that the mean
// of n rows is worth g = n b / (n b + 1) of what it says, and a row of the class varies by v = 1 + b / (n b +
// 1) around it:
//     score_c(x) = -1/2 sum_i (a_i(x) - g_ci z_ci)^2 / v_i      without what all classes share
// with a_i and z_ci the coordinates of the row and of the class's mean. v_i is that of a class of average
// size, which keeps the scores linear. `lda` is lda_readout of the same moments.
LinearReadout posterior_readout(const ClassMoments& moments, const LinearReadout& lda);

}  // namespace fearnet
