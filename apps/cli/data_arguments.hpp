// How the commands read files of rows.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "fearnet/data/load.hpp"
#include "progress_display.hpp"

namespace fearnet::cli {

// As typed.
struct DataArguments {
    std::string label_column;
    std::vector<std::string> drop;  // each may be several, separated by commas
    std::string max_bytes;          // empty: what the library takes
    std::string features;           // a model; empty: the default for what the data holds
};

// --label-column, --drop and --max-bytes.
void add_data_options(Command& command, DataArguments& a);
// --features, for commands without a brain.
void add_features_option(Command& command, DataArguments& a);
// Shows how many photographs, sounds or texts are embedded.
Progress embedding_progress(ProgressDisplay& display);
// What they say. Throws Error naming the flag.
TableOptions table_options(const DataArguments& a);

// What is likely wrong with the data, a line each on stderr.
void print_warnings(const std::string& data, const std::vector<std::string>& warnings);

}  // namespace fearnet::cli
