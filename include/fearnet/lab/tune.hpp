// Choosing a learner's settings from the base classes alone: no test row and no later class is looked at.
#pragma once

#include "fearnet/lab/run.hpp"
#include "fearnet/options.hpp"

namespace fearnet::lab {

struct TuneOptions {
    LearnerSpec learner = {.learner = "fearnet",
                           .preset = {},
                           .settings = {}};  // `settings` are fixed; the search goes over the others
    std::vector<SearchRange> search;         // empty: search_space(learner)
    std::int64_t trials = 20;  // combinations to try, drawn at random; all of them when there are fewer
    Protocol protocol;         // the search sees only the base classes; the rest is that of every trial
    double held_out = 0.2;     // share of each class's training rows that stand in for test rows
    int jobs = 1;              // trials at once; with more than one each has one thread
    std::uint64_t seed = 1;
};

// The mean accuracies over the sessions of one short stream of base classes.
struct Trial {
    Settings settings;  // empty for the learner as it is
    SessionAccuracy accuracy;
    double seconds = 0;
};

struct TuneProgress {
    double fraction = 0;
    std::string what;
    const Trial* finished_trial = nullptr;  // set once per trial
};
// False: stop, keep what is finished. Never called twice at once, but from several threads with several jobs.
using TuneCallback = std::function<bool(const TuneProgress&)>;

// The base classes of `set` as a data set of their own: `held_out` of each one's training rows become test
// rows. Throws Error unless there are at least two base classes with two training rows each.
FeatureSet tuning_set(const FeatureSet& set, const TuneOptions& options);
// What tune tries, in order: first the learner as it is, then combinations without repetition. The same for
// the same options.
std::vector<Settings> tuning_trials(const TuneOptions& options);
// Runs the protocol inside the base classes for every trial that is not in `known`; returns all of them, the
// best accuracy over all classes first. The same for any number of jobs and threads, but for `seconds`.
// Throws Error before any training when a setting is not one of the learner's.
std::vector<Trial> tune(const FeatureSet& set, const TuneOptions& options,
                        const std::vector<Trial>& known = {}, const TuneCallback& callback = {});

}  // namespace fearnet::lab
