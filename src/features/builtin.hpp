// The data sets the library gets by package name, or makes.
#pragma once

#include <filesystem>
#include <span>

#include "fearnet/features/load.hpp"

namespace fearnet {

struct Builtin {
    const char* name;
    const char* description;
    const char* source;
    bool (*present)(const LoadOptions& options);
    // Fetches what is missing unless options.fetch forbids it.
    FeatureSet (*load)(const LoadOptions& options);
};

std::span<const Builtin> builtins();

// Where built-in data sets are kept; see LoadOptions::cache. Throws Error when nothing names a folder.
std::filesystem::path cache_folder(const LoadOptions& options);

inline void say(const LoadOptions& options, const std::string& line) {
    if (options.say) options.say(line);
}

}  // namespace fearnet
