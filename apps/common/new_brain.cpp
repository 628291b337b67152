#include "common/new_brain.hpp"

#include "fearnet/data/models.hpp"

namespace fearnet::apps {

BrainOptions brain_options(const NewBrain& wanted) {
    BrainOptions options;
    options.learner.learner = wanted.learner;
    options.learner.preset = wanted.preset;
    options.learner.seed = wanted.seed;
    Settings of_brain;
    if (wanted.features == "raw" || wanted.features == "text:ngrams")
        of_brain.emplace_back("brain.features", wanted.features);
    else {
        const ModelInfo model = model_info(wanted.features);
        options.front_end = {model.name, model.fingerprint, model.width};
    }
    for (const auto& setting : wanted.settings)
        (is_brain_option(setting.first) ? of_brain : options.learner.settings).push_back(setting);
    apply_options(options.settings, of_brain);
    return options;
}

}  // namespace fearnet::apps
