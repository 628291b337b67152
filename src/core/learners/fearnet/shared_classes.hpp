// Classes that are in both memories.
#pragma once

#include <vector>

#include "core/learners/fearnet/hippocampus.hpp"
#include "core/learners/fearnet/prefrontal_cortex.hpp"

namespace fearnet {

// Its columns in the probabilities of each.
struct SharedClass {
    std::size_t recent = 0, consolidated = 0;
};
std::vector<SharedClass> shared_classes(const Hippocampus& recent, const PrefrontalCortex& consolidated);

// The psi rule compares the largest parts of the mixture A P_HC + (1 - A) P_mPFC; the sum of a class that
// both memories hold can pass the larger of them, `best`. The one of the largest sum, or null where none
// passes. `recent`, `consolidated`: a row of probabilities of each memory; `router`: A(x).
const SharedClass* passing_by_sum(const std::vector<SharedClass>& shared, const float* recent,
                                  const float* consolidated, double router, double best);

}  // namespace fearnet
