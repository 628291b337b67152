// run_protocol with the library's own learners.
#include <algorithm>

#include "fearnet/lab/class_incremental_stream.hpp"
#include "fearnet/lab/learners.hpp"
#include "fearnet/lab/run.hpp"
#include "fearnet/registry.hpp"
#include "lab/baselines/offline_mlp.hpp"

namespace fearnet::lab {
namespace {

// The offline MLP takes the learner's preset and those of its settings that mean something to it, so that
// both have the same shape and training.
LearnerSpec offline_spec(LearnerSpec spec) {
    spec.learner = "offline-mlp";
    const std::vector<OptionText> known = learner_options(spec.learner, spec.preset);
    std::erase_if(spec.settings, [&](const auto& setting) {
        return std::none_of(known.begin(), known.end(),
                            [&](const OptionText& o) { return o.name == setting.first; });
    });
    return spec;
}

std::unique_ptr<OfflineMlp> make_offline(const LearnerSpec& spec) {
    std::unique_ptr<Learner> learner = make_learner(offline_spec(spec));
    auto* offline = dynamic_cast<OfflineMlp*>(learner.get());
    assert(offline != nullptr);
    learner.release();
    return std::unique_ptr<OfflineMlp>(offline);
}

ClassScores offline_scores(const LearnerSpec& spec, const LabeledView& train, MatrixView test,
                           const Progress& progress) {
    const std::unique_ptr<OfflineMlp> offline = make_offline(spec);
    offline->learn(train, progress);
    return {offline->classes(), offline->probabilities(test)};
}

}  // namespace

RunRecord run_protocol(const FeatureSet& set, const RunOptions& options, const RunCallback& callback) {
    check_run_options(set, options);
    return run_protocol(set, options, callback, default_run_parts());
}

RunParts default_run_parts() {
    register_learners();
    return {make_learner, offline_scores, false};
}

std::map<std::string, std::string> offline_options(const LearnerSpec& spec) {
    std::map<std::string, std::string> options = make_offline(spec)->options();
    std::erase_if(options, [](const auto& o) {
        return !o.first.starts_with("network.") && !o.first.starts_with("training.");
    });
    for (const char* unused : {"training.base_classes", "training.base_epochs", "training.base_decoder_rate"})
        options.erase(unused);
    return options;
}

void check_run_options(const FeatureSet& set, const RunOptions& options) {
    for (const LearnerInfo& l : learners())
        if (l.name == options.learner.learner && !l.incremental)
            throw Error("learner " + l.name +
                        " learns everything at once, not in sessions; every run trains it as the reference");
    if (options.sleep_every < 0)
        throw Error("sleep every " + std::to_string(options.sleep_every) + " sessions: must not be negative");
    if (options.evaluate_every < 1)
        throw Error("evaluate every " + std::to_string(options.evaluate_every) +
                    " sessions: must be 1 or more");
    ClassIncrementalStream(set, {options.base_classes, options.seed, options.base_groups, options.variant});
    make_learner(options.learner);
    make_offline(options.learner);
}

}  // namespace fearnet::lab
