// How the classes of a data set are taught and tested: what decides a run besides data, learner and seed.
#pragma once

#include <string>

#include "fearnet/lab/class_incremental_stream.hpp"

namespace fearnet::lab {

// Described once, as options are (fearnet/options.hpp). The flags of `fearnet run` and `fearnet tune`, the
// fields of a row of an experiment, the JSON of runs and jobs and the ids of runs come from `describe`.
struct Protocol {
    std::int64_t base_classes = 0;  // 0: half of the classes
    std::int64_t sleep_every = 10;  // 0: never
    std::int64_t evaluate_every = 1;
    StreamVariant variant = {};

    template <class Visitor>
    void describe(Visitor& v) {
        constexpr std::int64_t kMost = 1'000'000;
        v.option("base_classes", base_classes, "Classes of the base session; 0: half of them", 0, kMost);
        v.option("sleep_every", sleep_every, "Sleep after every N-th session; 0: never", 0, kMost);
        v.option(
            "evaluate_every", evaluate_every,
            "Test after the base session, every N-th session and the last; the scores are means over those",
            1, kMost);
        variant.describe(v);
    }

    bool operator==(const Protocol&) const = default;
};

// {"base_classes":50,"sleep_every":10,"evaluate_every":1}, and of the variant what is not zero.
std::string protocol_json(const Protocol& protocol);

// Throws Error naming the field, its value and what is allowed.
void check_protocol(Protocol protocol);

}  // namespace fearnet::lab
