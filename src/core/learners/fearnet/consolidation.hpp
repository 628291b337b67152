// Sleep: trains the long-term memory on the recent examples together with pseudo-examples of the old classes
// (Algorithm 1).
#pragma once

#include "core/learners/fearnet/hippocampus.hpp"
#include "core/learners/fearnet/prefrontal_cortex.hpp"

namespace fearnet {

// Returns the long-term memory after sleep. Both memories must be non-empty; neither is changed, so a
// cancelled sleep loses nothing. The caller clears the recent memory. With a time limit, training ends early
// enough for the statistics to be computed within the limit. Throws Error if the memory budget would be
// exceeded.
PrefrontalCortex consolidate(const PrefrontalCortex& before, const Hippocampus& recent,
                             const FearNetOptions& options, Rng rng, const Progress& progress,
                             const TimeLimit& limit = TimeLimit());

}  // namespace fearnet
