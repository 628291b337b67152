// How the two memories and the router answer together (Sec. 3.3, Algorithm 2).
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

// The answer is the class of largest A(x) P_HC(c | x) + (1 - A(x)) P_mPFC(c | x). Where no class is in both
// memories that is the psi rule (Eq. 5); a class that is in both has the sum of both, and `memory` is the one
// that gave more of it. A memory that is alone answers alone: A is 0 or 1.
std::vector<Explanation> explain_rows(const TwoMemories& memories, MatrixView x);

// n x classes: that mixture, rows summing to one up to rounding; the answer's is larger than all others.
// `classes` are those of both memories, ascending.
Matrix mixed_probabilities(const TwoMemories& memories, std::span<const ClassId> classes, MatrixView x);

}  // namespace fearnet
