// The default hooks of run_protocol: registered learners and the offline MLP.
#include <algorithm>

#include "fearnet/lab/learners.hpp"
#include "fearnet/lab/run.hpp"
#include "fearnet/registry.hpp"
#include "lab/baselines/offline_mlp.hpp"

namespace fearnet::lab {
namespace {

// The offline MLP takes the preset of the learner and the settings that apply to it, so that both have the
// same shape and training.
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

RunHooks default_run_hooks() {
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

}  // namespace fearnet::lab
