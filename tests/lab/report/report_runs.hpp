// Made-up runs for the tests of the report.
#pragma once

#include "fearnet/lab/report.hpp"
#include "fearnet/rng.hpp"

namespace fearnet {

using namespace fearnet::lab;

// `sessions` after the base session; accuracies are random, names need quoting.
inline RunRecord made_up_run(std::uint64_t seed, std::size_t sessions, bool with_oracle) {
    Rng rng(seed);
    RunRecord run;
    run.dataset = "a \"quoted\", <odd> & long name";
    run.learner = "fearnet";
    run.preset = "cub200";
    run.seed = seed;
    run.classes = 50 + sessions;
    run.protocol.base_classes = 50;
    run.offline_accuracy = 0.6 + 0.01 * rng.uniform();
    run.finished = true;
    std::vector<SessionAccuracy> learned, oracle, offline;
    for (std::size_t t = 0; t <= sessions; ++t) {
        SessionRecord s;
        s.session = t;
        if (t > 0) s.class_name = t % 2 ? "plain" : "with, comma \"and\" quotes";
        s.classes_seen = 50 + t;
        s.slept = t > 0 && t % 10 == 0;
        s.accuracy = {rng.uniform(), t == 0 ? 0 : rng.uniform(), rng.uniform()};
        if (with_oracle) s.oracle = SessionAccuracy{rng.uniform(), t == 0 ? 0 : rng.uniform(), rng.uniform()};
        s.offline = {0.5 + 0.5 * rng.uniform(), 0.5, 0.5 + 0.5 * rng.uniform()};
        s.memory_bytes = 1000 * t;
        s.seconds = rng.uniform();
        if (t > 0) learned.push_back(s.accuracy), offline.push_back(s.offline);
        if (t > 0 && with_oracle) oracle.push_back(*s.oracle);
        run.sessions.push_back(s);
    }
    if (sessions > 0) {
        run.omega = omega(learned, run.offline_accuracy);
        run.omega_restricted = omega(learned, offline);
        if (with_oracle) run.omega_oracle = omega(oracle, run.offline_accuracy);
    }
    run.final_accuracy = run.sessions.back().accuracy.all;
    run.memory = {{"networks", 3720000}, {"statistics", 10500000}};
    run.seconds = {{"offline", 1.5}, {"base", 2.5}};
    run.options = {{"network.hidden", "350,300"}, {"training.rate", "0.002"}};
    return run;
}

inline std::vector<RunRecord> made_up_runs(std::size_t seeds, std::size_t sessions, bool with_oracle = true) {
    std::vector<RunRecord> runs;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        runs.push_back(made_up_run(seed, sessions, with_oracle));
    return runs;
}

}  // namespace fearnet
