// A learner's options inside its saved state, one text per option.
#pragma once

#include "fearnet/options.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

template <class Options>
void save_options(const Options& options, State& state) {
    for (const auto& [key, value] : options_as_text(options)) state.set("option." + key, value);
}

// Options the state does not name keep their defaults. Throws Error for a name or value that is not one of
// ours.
template <class Options>
Options load_options(const State& state) {
    Options options;
    std::vector<std::pair<std::string, std::string>> settings;
    for (const auto& [key, value] : state.texts)
        if (key.starts_with("option.")) settings.emplace_back(key.substr(7), value);
    apply_options(options, settings);
    return options;
}

}  // namespace fearnet
