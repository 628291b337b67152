// Hyperparameter search on the base classes alone. Neither test rows nor the classes of later sessions are
// used, so that an evaluation with the chosen settings stays fair.
#pragma once

#include "fearnet/lab/run.hpp"
#include "fearnet/options.hpp"

namespace fearnet::lab {

struct TuneOptions {
    // `settings` are fixed and not searched.
    LearnerSpec learner = {.learner = "fearnet", .preset = {}, .settings = {}};
    std::vector<SearchRange> search;  // empty: search_space(learner)
    std::int64_t trials = 20;         // random combinations to try, or all if there are fewer
    Protocol protocol;                // base_classes chooses the classes to tune on; the rest is as in a run
    double held_out = 0.2;            // share of the training rows of each class that is used for testing
    int jobs = 1;                     // trials at the same time; with more than one, each uses one thread
    std::uint64_t seed = 1;
};

// One combination of settings and its result.
struct Trial {
    Settings settings;         // empty for the learner as given
    SessionAccuracy accuracy;  // mean over the incremental sessions
    double seconds = 0;        // wall-clock time
};

struct TuneProgress {
    double fraction = 0;                    // 0..1, share of the trials
    std::string what;                       // for people
    const Trial* finished_trial = nullptr;  // set once per trial
};
// Return true to continue. Return false to stop: tune then returns the finished trials. With several jobs it
// is called from several threads, but never from two at once.
using TuneCallback = std::function<bool(const TuneProgress&)>;

// The base classes of `set` as a data set of their own. `held_out` of the training rows of each class become
// test rows. Throws Error unless there are at least two base classes, each with two training rows.
FeatureSet tuning_set(const FeatureSet& set, const TuneOptions& options);
// The trials of tune, in order: the learner as given, then different combinations. The same options give the
// same trials. Throws Error if there is nothing to search or an option is both fixed and searched.
std::vector<Settings> tuning_trials(const TuneOptions& options);
// Runs the protocol on tuning_set for every trial. Trials whose settings are in `known` are not run again.
// Returns all finished trials, the highest accuracy.all first. With the same options and number of threads
// the accuracies are the same; jobs > 1 gives those of one thread. Throws Error for a setting that the
// learner does not have, before any training.
std::vector<Trial> tune(const FeatureSet& set, const TuneOptions& options,
                        const std::vector<Trial>& known = {}, const TuneCallback& callback = {});

}  // namespace fearnet::lab
