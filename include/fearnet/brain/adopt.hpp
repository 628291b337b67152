// A brain for a learner that was taught in memory.
#pragma once

#include "fearnet/brain/brain.hpp"

namespace fearnet {

struct TaughtClass {
    std::string name;
    std::int64_t examples = 0;  // taught so far
};

// A new file with a copy of `learner`; classes[i] is what learner.classes()[i] is called. The brain answers
// as the learner does if it was taught rows as `settings` makes them (unit length or not). Throws Error when
// the file exists, a name is missing, no text or there twice, or the learner learns only once.
// With `overwrite` a brain at `path` is replaced in one transaction: other processes that have it open see
// the old one or the new one, and only its history stays, without the names of classes that are gone. A file
// that is no brain is still refused.
Brain adopt_learner(const std::filesystem::path& path, const Learner& learner,
                    const std::vector<TaughtClass>& classes, const BrainSettings& settings = {},
                    std::int64_t sessions_since_sleep = 0, bool overwrite = false);

}  // namespace fearnet
