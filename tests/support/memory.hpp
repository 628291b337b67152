// How much a learner keeps.
#pragma once

#include "fearnet/learner.hpp"

namespace fearnet::test {

// In bytes, of all kinds.
inline std::size_t total_memory(const Learner& learner) {
    std::size_t sum = 0;
    for (const auto& [kind, bytes] : learner.memory()) sum += bytes;
    return sum;
}

}  // namespace fearnet::test
