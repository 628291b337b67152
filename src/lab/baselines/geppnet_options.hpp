// Every hyperparameter of GeppNet and GeppNet+STM: name, default, range and meaning, in one place.
#pragma once

#include <cstdint>
#include <string>

#include "fearnet/options.hpp"
#include "fearnet/registry.hpp"

namespace fearnet::lab {

struct GeppNetMapOptions {
    std::int64_t side = 30;
    std::int64_t base_iterations = 20000;
    double start_rate = 0.5;
    double rate = 0.05;
    double start_radius = 0.25;
    double radius = 0.5;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("map.side", side, "N: the map has N x N units.", 1, 1000);
        v.option("map.base_iterations", base_iterations,
                 "Single-sample steps of the map in the base session; its rate and radius fall "
                 "exponentially.",
                 0, 1000000000);
        v.option("map.start_rate", start_rate, "Learning rate of the map at the start of the base session.",
                 0, 1);
        v.option("map.rate", rate,
                 "Learning rate of the map at the end of the base session and in all later sessions.", 1e-6,
                 1);
        v.option("map.start_radius", start_radius,
                 "Radius of the neighborhood at the start of the base session, as a fraction of N.", 0, 1);
        v.option("map.radius", radius,
                 "Radius of the neighborhood at the end of the base session and in all later sessions, in "
                 "units. 0: only the best unit moves.",
                 0, 1000);
    }
};

struct GeppNetActivationOptions {
    double kappa = 0.75;
    double power = 2;
    double threshold = 0.3;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("activation.kappa", kappa,
                 "Width of a unit's response, as a multiple of the root mean squared distance between base "
                 "rows and their best units.",
                 1e-3, 1000);
        v.option("activation.power", power,
                 "p: exponent of the responses. A larger value concentrates them around the best unit.", 1,
                 1000);
        v.option("activation.threshold", threshold,
                 "theta: units whose response is at most this fraction of the best unit's are silent.", 0,
                 0.999);
    }
};

struct GeppNetReadoutOptions {
    std::int64_t base_iterations = 100000;
    double rate = 0.3;
    double end_rate = 0.03;
    bool normalized = true;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("readout.base_iterations", base_iterations,
                 "Single-sample steps of the read-out in the base session, after those of the map.", 0,
                 1000000000);
        v.option("readout.rate", rate,
                 "Learning rate of the read-out at the start of a session or sleep; it falls linearly to "
                 "readout.end_rate.",
                 0, 10);
        v.option("readout.end_rate", end_rate,
                 "Learning rate of the read-out at the end of a session or sleep.", 0, 10);
        v.option("readout.normalized", normalized,
                 "Divides each step by the squared norm of the responses (normalized least mean squares).");
    }
};

struct GeppNetIncrementalOptions {
    std::int64_t iterations = 2000;
    double new_share = 0.05;
    double novelty_threshold = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("incremental.iterations", iterations,
                 "Single-sample steps per class of a later session, on new and all earlier rows. The paper "
                 "tries 2,000 and 20,000.",
                 0, 1000000000);
        v.option("incremental.new_share", new_share,
                 "Minimum share of new rows in these steps (incremental.iterations). 0: all rows are "
                 "equally likely.",
                 0, 1);
        v.option("incremental.novelty_threshold", novelty_threshold,
                 "A row is novel and moves the map if its margin is at most this. The margin is the best "
                 "score minus the second best, negated for a wrong prediction.",
                 -10, 10);
    }
};

struct GeppNetOptions {
    GeppNetMapOptions map = {};
    GeppNetActivationOptions activation = {};
    GeppNetReadoutOptions readout = {};
    GeppNetIncrementalOptions incremental = {};

    template <class Visitor>
    void describe(Visitor& v) {
        map.describe(v), activation.describe(v), readout.describe(v), incremental.describe(v);
    }
    // "literal": the longer of the paper's two intervals, and replay without a preference. The data sets'
    // presets change nothing: the supplement has ranges for all, no number for one.
    static std::vector<Preset> presets() {
        return {{"literal", {{"incremental.iterations", "20000"}, {"incremental.new_share", "0"}}}};
    }
    // The paper's ranges.
    static std::vector<SearchRange> search_space() {
        return {{"map.side", {"20", "24", "28", "30", "32", "36"}},
                {"activation.threshold", {"0.1", "0.3", "0.5", "0.75"}},
                {"incremental.iterations", {"2000", "20000"}}};
    }
};

struct GeppNetStmOptions : GeppNetOptions {
    std::int64_t buffer = 5000;

    template <class Visitor>
    void describe(Visitor& v) {
        GeppNetOptions::describe(v);
        v.option("stm.buffer", buffer,
                 "Maximum number of rows in the short-term memory; the oldest are dropped first.", 1,
                 100000000);
    }
};

}  // namespace fearnet::lab
