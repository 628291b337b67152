// Protocol: how the classes of a data set are taught and evaluated. Together with data, learner and seed it
// decides a run.
#pragma once

#include <string>

#include "fearnet/lab/class_incremental_stream.hpp"

namespace fearnet::lab {

// Describes itself as options do (fearnet/options.hpp). The flags of `fearnet run` and `fearnet tune`, the
// fields of an experiment's row, the JSON of runs and jobs, and the ids of runs are generated from
// `describe`.
struct Protocol {
    std::int64_t base_classes = 0;    // classes of the base session; 0: half of all classes
    std::int64_t sleep_every = 10;    // sleep after every sleep_every-th incremental session; 0: never
    std::int64_t evaluate_every = 1;  // evaluate after every evaluate_every-th session and the last
    StreamVariant variant = {};
    bool open_world = false;  // measure open-world answers, too (fearnet/lab/open_world.hpp)

    template <class Visitor>
    void describe(Visitor& v) {
        constexpr std::int64_t kMax = 1'000'000;
        v.option("base_classes", base_classes,
                 "Number of classes of the base session; 0: half of all classes", 0, kMax);
        v.option("sleep_every", sleep_every, "Sleep after every N-th session; 0: never", 0, kMax);
        v.option("evaluate_every", evaluate_every,
                 "Evaluate after the base session, every N-th session and the last one; scores are means "
                 "over these",
                 1, kMax);
        variant.describe(v);
        v.option(
            "open_world", open_world,
            "Also measure after each evaluated session how well unknown rows are detected, how often sets of "
            "classes contain the true class, and the calibration of the probabilities");
    }

    bool operator==(const Protocol&) const = default;
};

// {"base_classes":50,"sleep_every":10,"evaluate_every":1} and those fields of the variant that are not 0 or
// false; open_world if it is true.
std::string protocol_json(const Protocol& protocol);

// Throws Error, with the field, its value and the allowed range, unless the protocol is valid.
void check_protocol(Protocol protocol);

}  // namespace fearnet::lab
