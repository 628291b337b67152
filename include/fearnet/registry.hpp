// The registry of learners: making, listing and restoring learners by name, and adding your own. All
// functions may be called from several threads at once.
//
// The core registers "fearnet-plus" and "fearnet"; fearnet::lab::register_learners()
// (fearnet/lab/learners.hpp) adds the baselines. CONTRIBUTING.md, "A new learner", has the steps for one of
// your own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fearnet/learner.hpp"
#include "fearnet/options.hpp"

namespace fearnet {

// What make_learner needs to know.
struct LearnerSpec {
    std::string learner = "fearnet-plus";
    std::string preset;      // one of preset_names(), or several separated by commas: "cub200,literal"
    Settings settings;       // options by name; they override the preset
    std::uint64_t seed = 1;  // of all random choices
};

// The spec of a learner with these options: PlusOptions, FearNetOptions, or another options struct that names
// its learner in a static member `kLearner`.
template <class Options>
requires requires {
    std::string(Options::kLearner);
}
LearnerSpec learner_spec(const Options& options, std::uint64_t seed = 1) {
    const std::map<std::string, std::string> texts = options_as_text(options);
    return {Options::kLearner, "", {texts.begin(), texts.end()}, seed};
}

struct LearnerInfo {
    std::string name;
    std::string summary;      // one line
    bool incremental = true;  // false: it must be taught everything in one session
};

// A registered learner. learner_type<L>, below, makes one from a class.
struct LearnerType {
    LearnerInfo info;
    std::function<std::vector<OptionText>(const std::string& preset)> options;  // see learner_options
    std::function<std::vector<SearchRange>()> search;                           // see search_space
    std::function<std::unique_ptr<Learner>(const LearnerSpec&)> make;
    std::function<std::unique_ptr<Learner>(const State&)> restore;
    std::vector<Preset> presets = {};
};

// Adds a learner. make_learner, restore_learner, brains and the bindings then know its name. It cannot be
// removed. Throws Error if the name is taken, and for a preset that is not one of preset_names().
void register_learner(LearnerType type);

// The registered learners, in the order of registration.
std::vector<LearnerInfo> learners();
std::vector<std::string> learner_names();
// All preset names: "cifar100", "cub200" and "audioset", the data sets of the paper, and "literal", the
// settings that the paper prints; see fearnet_preset (fearnet/fearnet_options.hpp).
std::vector<std::string> preset_names();
// The options of a learner with the values of the preset, for display: `parse` is empty. Throws Error for an
// unknown learner or preset.
std::vector<OptionText> learner_options(const std::string& learner, const std::string& preset = "");
// The hyperparameter values that a search tries by default: the paper's ranges where it gives them. Empty for
// a learner that declares none. Throws Error for an unknown learner.
std::vector<SearchRange> search_space(const std::string& learner);
// Makes an untaught learner. Throws Error for an unknown learner, preset or option, and for a bad value.
std::unique_ptr<Learner> make_learner(const LearnerSpec& spec);
// Restores a learner from the result of Learner::save. Throws Error if the learner is not registered or the
// state is incomplete or inconsistent, and OutOfMemory if memory does not suffice.
std::unique_ptr<Learner> restore_learner(const State& state);

// "cub200,literal" -> {"cub200", "literal"}. Throws Error, with the list of presets, for an unknown name.
std::vector<std::string> split_presets(const std::string& names);

// The presets of an options struct: the result of its static function presets(), or none without one.
template <class Options>
std::vector<Preset> presets_of() {
    if constexpr (requires { Options::presets(); }) return Options::presets();
    return {};
}

// The default options with the named presets applied from left to right. A preset that the struct does not
// have changes nothing. Throws Error for a name that is not one of preset_names().
template <class Options>
Options preset_options(const std::string& names) {
    Options options;
    const std::vector<Preset> presets = presets_of<Options>();
    for (const std::string& name : split_presets(names))
        for (const Preset& preset : presets)
            if (preset.name == name) apply_options(options, preset.settings);
    return options;
}

// The LearnerType of a class L, which must have
//   - L::Options, a struct that describes itself (fearnet/options.hpp) and may have static functions
//     std::vector<SearchRange> search_space() and std::vector<Preset> presets(),
//   - a constructor L(const Options&, std::uint64_t seed), and
//   - static std::unique_ptr<L> load(const State&).
template <class L>
LearnerType learner_type(const char* name, const char* summary, bool incremental = true) {
    return {{name, summary, incremental},
            [](const std::string& preset) {
                auto options = preset_options<typename L::Options>(preset);
                std::vector<OptionText> list = list_options(options);
                for (OptionText& o : list) o.parse = nullptr;  // it refers to `options`, which ends here
                return list;
            },
            []() -> std::vector<SearchRange> {
                if constexpr (requires { L::Options::search_space(); }) return L::Options::search_space();
                return {};
            },
            [](const LearnerSpec& spec) -> std::unique_ptr<Learner> {
                auto options = preset_options<typename L::Options>(spec.preset);
                apply_options(options, spec.settings);
                return std::make_unique<L>(options, spec.seed);
            },
            [](const State& state) -> std::unique_ptr<Learner> { return L::load(state); },
            presets_of<typename L::Options>()};
}

}  // namespace fearnet
