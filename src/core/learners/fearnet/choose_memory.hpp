// Which memory answers (Eq. 5).
#pragma once

#include "fearnet/fearnet_options.hpp"

namespace fearnet {

struct MemoryChoice {
    Memory memory;
    double psi;
};

// psi = recent_probability * router / (1 - router); the recent memory answers if psi exceeds
// consolidated_probability. router is A(x) = P(the memory is a recent one): the sentence of the paper that
// says the opposite contradicts its own equations. A router of exactly 1 always means recent.
MemoryChoice choose_memory(double recent_probability, double router, double consolidated_probability);

}  // namespace fearnet
