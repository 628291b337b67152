// The options of a new brain, from the texts that a user gives.
#pragma once

#include <cstdint>
#include <string>

#include "fearnet/brain.hpp"

namespace fearnet::apps {

struct NewBrain {
    std::string learner = BrainOptions{}.learner.learner;
    std::string preset;
    std::uint64_t seed = 1;
    std::string features = "raw";  // "raw", "text:ngrams", "image", "sound", "text" or the name of a model
    Settings settings;             // of the learner and of the brain
};

// Throws Error for unknown names and bad values.
BrainOptions brain_options(const NewBrain& wanted);

}  // namespace fearnet::apps
