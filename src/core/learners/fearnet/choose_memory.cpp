#include "core/learners/fearnet/choose_memory.hpp"

#include <limits>

namespace fearnet {

MemoryChoice choose_memory(double recent_probability, double router, double consolidated_probability) {
    const double psi =
        router >= 1 ? std::numeric_limits<double>::infinity() : recent_probability * router / (1 - router);
    return {psi > consolidated_probability ? Memory::recent : Memory::consolidated, psi};
}

}  // namespace fearnet
