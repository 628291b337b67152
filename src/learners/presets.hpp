// Presets: named values for the options of every learner.
#pragma once

#include <string>
#include <vector>

namespace fearnet {

// "cub200,literal" -> its names in order. Throws Error, listing what there is, for an unknown one.
std::vector<std::string> split_presets(const std::string& names);

// The defaults with presets put in, left to right. An options struct that cares has
// `void apply_preset(const std::string& name)`; for the others every preset is the defaults.
template <class Options>
Options preset_options(const std::string& names) {
    Options options;
    for (const std::string& name : split_presets(names))
        if constexpr (requires { options.apply_preset(name); }) options.apply_preset(name);
    return options;
}

}  // namespace fearnet
