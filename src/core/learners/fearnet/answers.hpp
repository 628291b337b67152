// Predictions from the two memories and the router (Sec. 3.3, Algorithm 2).
#pragma once

#include <span>
#include <vector>

#include "core/learners/fearnet/amygdala.hpp"
#include "core/learners/fearnet/hippocampus.hpp"
#include "core/learners/fearnet/prefrontal_cortex.hpp"
#include "fearnet/fearnet_options.hpp"

namespace fearnet {

// At least one of the two is not empty.
struct TwoMemories {
    const Hippocampus& recent;
    const PrefrontalCortex& consolidated;
    const Amygdala& router;
    const HippocampusOptions& options;
};

// Predicts the class with the largest A(x) P_HC(c | x) + (1 - A(x)) P_mPFC(c | x). If no class is in both
// memories, this is the psi rule (Eq. 5). A class in both memories has the sum of both terms, and `memory` is
// the one with the larger term. If one memory is empty, A(x) is 0 or 1.
std::vector<Explanation> explain_rows(const TwoMemories& memories, MatrixView x);

// n x classes: this mixture. Rows sum to one up to rounding, and the predicted class has the largest entry.
// `classes` are those of both memories, ascending.
Matrix mixed_probabilities(const TwoMemories& memories, std::span<const ClassId> classes, MatrixView x);

}  // namespace fearnet
