// One run of the protocol: stream in, record out.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/evaluation/omega.hpp"
#include "fearnet/features/feature_set.hpp"
#include "fearnet/learners/learner.hpp"

namespace fearnet {

struct RunOptions {
    LearnerSpec learner;            // its seed is replaced by `seed`
    std::int64_t base_classes = 0;  // 0: half of the classes
    std::int64_t sleep_every = 10;  // sleep after every K-th incremental session; 0: never
    std::uint64_t seed = 1;         // class order and every random choice of the learner
};

// What was measured after one session. Session 0 is the base knowledge (`recent` is then not meaningful and zero).
struct SessionRecord {
    std::size_t session = 0;
    std::string class_name;  // the class taught; "" for the base session
    std::size_t classes_seen = 0;
    bool slept = false;
    SessionAccuracy accuracy;
    std::optional<SessionAccuracy> oracle;  // with a perfect router, for learners that have one
    SessionAccuracy offline;                // the offline model restricted to the classes seen so far
    std::size_t memory_bytes = 0;
    double seconds = 0;  // learn + sleep
};

struct RunRecord {
    std::string dataset;
    std::string learner;
    std::string preset;
    std::uint64_t seed = 0;
    std::size_t base_classes = 0;
    std::int64_t sleep_every = 0;
    std::vector<SessionRecord> sessions;  // sessions[0] is the base session
    double offline_accuracy = 0;          // the offline MLP on the whole test set
    OmegaScores omega;                    // against offline_accuracy (the paper's)
    OmegaScores omega_restricted;         // against the offline model restricted to the classes seen so far
    std::optional<OmegaScores> omega_oracle;
    double final_accuracy = 0;
    MemoryUse memory;
    std::map<std::string, double> seconds;  // by phase: offline, base, learn, sleep, evaluate
    std::map<std::string, std::string> options;
    bool finished = false;                  // false when it was cancelled on the way
};

// What a running experiment says: overall progress in 0..1 and one line about the present.
struct RunProgress {
    double fraction = 0;
    std::string what;
    const SessionRecord* finished_session = nullptr;  // set once per session
};
// Return false to stop after the present step: the record so far comes back with finished = false.
using RunCallback = std::function<bool(const RunProgress&)>;

RunRecord run_protocol(const FeatureSet& set, const RunOptions& options, const RunCallback& callback = {});

}  // namespace fearnet
