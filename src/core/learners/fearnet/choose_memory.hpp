// Which memory answers (Eq. 5).
#pragma once

#include "fearnet/fearnet_options.hpp"

namespace fearnet {

struct MemoryChoice {
    Memory memory;
    double psi;
};

// psi = recent_probability * router / (1 - router); the recent memory answers if psi exceeds
// consolidated_probability. router is A(x) = P(x belongs to the recent memory); one sentence of the paper
// says the opposite, against its own equations. If router is 1, the recent memory always answers.
MemoryChoice choose_memory(double recent_probability, double router, double consolidated_probability);

}  // namespace fearnet
