// Sleep: recent memories are replayed together with pseudo-examples until the long-term memory holds them all
// (Algorithm 1).
#pragma once

#include "core/learners/fearnet/hippocampus.hpp"
#include "core/learners/fearnet/prefrontal_cortex.hpp"

namespace fearnet {

// The long-term memory after sleep. Neither argument is changed, so a cancelled sleep loses nothing; the
// caller clears the recent memory. Both are non-empty. With a limit the training ends so early that the
// statistics are about ready in time. Throws Error when the memory budget cannot be kept.
PrefrontalCortex consolidate(const PrefrontalCortex& before, const Hippocampus& recent,
                             const FearNetOptions& options, Rng rng, const Progress& progress,
                             const TimeLimit& limit = TimeLimit());

}  // namespace fearnet
