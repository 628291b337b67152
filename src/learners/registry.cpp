// Learners by name. A new learner is one more entry here.
#include <algorithm>
#include <sstream>

#include "fearnet/learners/fearnet.hpp"
#include "fearnet/learners/learner.hpp"
#include "fearnet/learners/offline_mlp.hpp"

namespace fearnet {
namespace {

struct Entry {
    const char* name;
    std::unique_ptr<Learner> (*make)(const FearNetOptions&, std::uint64_t seed);
    std::unique_ptr<Learner> (*restore)(const State&);
};

constexpr Entry kLearners[] = {
    {"fearnet",
     [](const FearNetOptions& o, std::uint64_t s) -> std::unique_ptr<Learner> {
         return std::make_unique<FearNet>(o, s);
     },
     [](const State& s) -> std::unique_ptr<Learner> { return FearNet::load(s); }},
    {"offline-mlp",
     [](const FearNetOptions& o, std::uint64_t s) -> std::unique_ptr<Learner> {
         return std::make_unique<OfflineMlp>(o, s);
     },
     [](const State& s) -> std::unique_ptr<Learner> { return OfflineMlp::load(s); }},
};

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& n : names) text += (text.empty() ? "" : ", ") + n;
    return text;
}

const Entry& find_learner(const std::string& name) {
    for (const Entry& e : kLearners)
        if (name == e.name) return e;
    throw Error("learner '" + name + "': no such learner; there are " + joined(learner_names()));
}

// The supplement's table; what all columns share are the defaults.
void cifar100(FearNetOptions& o) {
    o.network.hidden = {140, 130};
    o.training.batch = 450;
    o.sleep.code_anchor = 30;  // with 500 rows a class the new are learned well enough to hold on to the old
    o.amygdala.recent_weight = 0.45;
}
void cub200(FearNetOptions& o) {
    o.network.hidden = {350, 300}, o.training.batch = 200;
}
void audioset(FearNetOptions& o) {
    o.network.hidden = {300, 100}, o.training.batch = 450;
}

// The paper as printed, where ours differs; but biases at zero, since nothing is learned with ones.
void literal(FearNetOptions& o) {
    o.training.base_epochs = 1000;
    o.training.min_steps = 0;
    o.training.base_decay = RateDecay::none;
    o.training.base_decoder_rate = 0.01;
    o.sleep.epochs = 60;
    o.sleep.min_steps = 0;
    o.sleep.decay = RateDecay::none;
    o.sleep.borrow_residuals = false;
    o.sleep.soft_targets = 0;
    o.sleep.code_anchor = 0;
    o.sleep.fresh = false;
    o.statistics.mean_residual = false;
    o.statistics.refresh = Refresh::reencode;
    o.statistics.refresh_samples = 0;
    o.amygdala.input = RouterInput::features;
    o.amygdala.standardize = false;
    o.amygdala.held_out = 0;
    o.amygdala.min_steps = 0;
}

struct Preset {
    const char* name;
    void (*apply)(FearNetOptions&);
};
constexpr Preset kPresets[] = {
    {"cifar100", cifar100}, {"cub200", cub200}, {"audioset", audioset}, {"literal", literal}};

}  // namespace

std::vector<std::string> learner_names() {
    std::vector<std::string> names;
    for (const Entry& e : kLearners) names.push_back(e.name);
    return names;
}

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    for (const Preset& p : kPresets) names.push_back(p.name);
    return names;
}

FearNetOptions fearnet_preset(const std::string& names) {
    FearNetOptions options;
    std::stringstream list(names);
    for (std::string name; std::getline(list, name, ',');) {
        const auto it = std::find_if(std::begin(kPresets), std::end(kPresets),
                                     [&](const Preset& p) { return name == p.name; });
        if (it == std::end(kPresets))
            throw Error("preset '" + name + "': no such preset; there are " + joined(preset_names()));
        it->apply(options);
    }
    return options;
}

std::vector<OptionText> learner_options(const std::string& learner, const std::string& preset) {
    find_learner(learner);
    FearNetOptions options = fearnet_preset(preset);
    std::vector<OptionText> list = list_options(options);
    for (OptionText& o : list) o.parse = nullptr;  // it refers to `options`, which ends here
    return list;
}

std::unique_ptr<Learner> make_learner(const LearnerSpec& spec) {
    const Entry& entry = find_learner(spec.learner);
    FearNetOptions options = fearnet_preset(spec.preset);
    apply_options(options, spec.settings);
    return entry.make(options, spec.seed);
}

std::unique_ptr<Learner> restore_learner(const State& state) {
    return find_learner(state.text("learner")).restore(state);
}

}  // namespace fearnet
