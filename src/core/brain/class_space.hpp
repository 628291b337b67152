// The space in which classes differ: a few directions among the whitened rows of a learner.
#pragma once

#include <vector>

#include "fearnet/learner.hpp"

namespace fearnet {

// Rows in units of the variation within classes, projected onto the directions along which class means vary:
// the leading principal directions of the means of the taught classes, then those of the rows that are asked
// about, if these vary more than rows of one class could.
struct ClassSpace {
    Matrix means;                 // classes x k
    Matrix rows;                  // rows x k
    std::vector<double> between;  // k: variance of the class means along each direction

    static constexpr std::size_t kMostDirections = 128;
};

// Throws Error naming `function` if the learner has made no whitened rows.
void require_whitened(const Matrix& whitened, const Learner& learner, const char* function);
// `x` are rows as the learner expects them, at least one, already checked. Throws Error naming `function` if
// the learner has no whitened rows.
ClassSpace class_space(const Learner& learner, MatrixView x, const char* function);

}  // namespace fearnet
