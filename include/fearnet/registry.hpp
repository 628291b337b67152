// Learners by name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fearnet/learner.hpp"
#include "fearnet/options.hpp"

namespace fearnet {

// Name, preset and "option=value" settings of a learner to make.
struct LearnerSpec {
    std::string learner = "fearnet-plus";
    std::string preset;  // one of preset_names(), or several separated by commas: "cub200,literal"
    Settings settings;
    std::uint64_t seed = 1;
};

// Of options that name their learner: PlusOptions, FearNetOptions, or a struct with `kLearner`.
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
    bool incremental = true;  // false: takes everything in one session
};

// What the registry knows of a learner. learner_type<L> makes one.
struct LearnerType {
    LearnerInfo info;
    std::function<std::vector<OptionText>(const std::string& preset)> options;
    std::function<std::vector<SearchRange>()> search;
    std::function<std::unique_ptr<Learner>(const LearnerSpec&)> make;
    std::function<std::unique_ptr<Learner>(const State&)> restore;
    std::vector<Preset> presets = {};
};

// Makes a learner known by its name: make_learner, restore_learner and brains then take it. The core knows
// "fearnet-plus" and "fearnet"; fearnet::lab::register_learners() adds those it is compared with. May be
// called from several threads. Throws Error when another learner has the name, and for a preset that is not
// one of preset_names().
void register_learner(LearnerType type);

// In the order in which they were registered.
std::vector<LearnerInfo> learners();
std::vector<std::string> learner_names();
// The one list of presets that there are: the paper's data sets, and "literal", the paper as printed.
std::vector<std::string> preset_names();
// Every option of a learner with the preset's values, for listing (`parse` is empty). Throws Error for an
// unknown name.
std::vector<OptionText> learner_options(const std::string& learner, const std::string& preset = "");
// What to search for the best settings of a learner: the paper's ranges where it gives them. Empty for
// learners without anything to choose.
std::vector<SearchRange> search_space(const std::string& learner);
// Throws Error for an unknown name, preset or option.
std::unique_ptr<Learner> make_learner(const LearnerSpec& spec);
// From what Learner::save gave. Throws Error when it is not whole.
std::unique_ptr<Learner> restore_learner(const State& state);

// "cub200,literal" -> its names in order. Throws Error, listing what there is, for an unknown one.
std::vector<std::string> split_presets(const std::string& names);

// The presets of an options struct, as data: its `static std::vector<Preset> presets()`, if it has any. Their
// names are of preset_names().
template <class Options>
std::vector<Preset> presets_of() {
    if constexpr (requires { Options::presets(); }) return Options::presets();
    return {};
}

// The defaults with presets put in, left to right. A preset that the struct does not have changes nothing.
template <class Options>
Options preset_options(const std::string& names) {
    Options options;
    const std::vector<Preset> presets = presets_of<Options>();
    for (const std::string& name : split_presets(names))
        for (const Preset& preset : presets)
            if (preset.name == name) apply_options(options, preset.settings);
    return options;
}

// L has L::Options (a struct that describes itself, see options.hpp, and may have a static search_space() and
// a static presets()),
// L(options, seed) and L::load(state).
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
