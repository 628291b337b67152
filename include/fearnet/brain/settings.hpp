// What a brain is told once, when it is made, besides its learner's options.
#pragma once

#include <cstdint>

#include "fearnet/base/options.hpp"

namespace fearnet {

enum class BrainFeatures { raw, text };

struct BrainSettings {
    BrainFeatures features = BrainFeatures::raw;
    bool unit_length = true;
    std::int64_t due_sessions = 10;
    std::int64_t due_examples = 0;
    std::int64_t due_bytes = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("brain.features", features,
                 "What is learned from: rows of numbers, or text, as hashed runs of 1 to 3 characters.",
                 {"raw", "text:ngrams"});
        v.option("brain.unit_length", unit_length, "Scale every row to length one before anything else.");
        v.option("due.sessions", due_sessions, "Sleep is due after this many sessions; 0: does not matter.",
                 0, 1000000);
        v.option("due.examples", due_examples,
                 "Sleep is due when the recent memory holds this many examples; 0: does not matter.", 0,
                 1000000000);
        v.option("due.bytes", due_bytes,
                 "Sleep is due when the recent memory's examples take this many bytes; 0: does not matter.",
                 0, 1000000000000);
    }
};

}  // namespace fearnet
