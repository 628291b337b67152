// Arguments and helpers that the everyday commands share.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "data_arguments.hpp"
#include "fearnet/brain.hpp"
#include "interrupt.hpp"
#include "common/brain_json.hpp"
#include "progress_display.hpp"

namespace fearnet::cli {

using apps::as_json;
using apps::Json;

// As typed.
struct BrainArguments {
    std::string brain;
    std::string data;
    std::vector<std::string> more_files;  // after DATA
    DataArguments reading;
    std::string label;
    std::optional<std::string> text;
    std::string threads = "all";
    std::string lock_timeout;  // empty: kLockTimeout
    bool json = false;
    bool quiet = false;

    // DATA, if the command takes several.
    void take_files(const std::vector<std::string>& files) {
        if (files.empty()) return;
        data = files.front();
        more_files.assign(files.begin() + 1, files.end());
    }
};

// BRAIN, --json, --threads, --lock-timeout and --quiet.
Command& add_brain_command(Program& program, const char* name, const char* what, BrainArguments& a);

// --lock-timeout. Throws Error naming it.
std::chrono::milliseconds lock_timeout(const BrainArguments& a);

// Opens the brain with --lock-timeout, after setting --threads.
Brain open_brain(const BrainArguments& a, BrainAccess access);

// How to read DATA for this brain. Labels are not checked unless `labels_count`. Throws Error if the brain
// does not learn from such data.
TableOptions table_options(const Brain& brain, const BrainArguments& a, Split split, bool labels_count);
// Throws Error naming the flag if the file `out` is one of those that are read.
void refuse_as_output(const char* flag, const std::string& out, const BrainArguments& a);
// Prints the inputs that have no row on stderr, a few by name.
void print_skipped(const std::vector<SkippedInput>& skipped);
// "IMG_2041.jpg", or the number of the row if it has no name.
std::string row_name(const std::vector<std::string>& inputs, std::size_t row);
// Throws Error unless the rows have the width that the brain expects.
void check_width(const Brain& brain, const BrainArguments& a, MatrixView rows);
// The rows of DATA, with the width that the brain expects. Labels are those of DATA, or --label for all rows.
NamedRows rows_for(const Brain& brain, const BrainArguments& a, Split split, const Progress& progress = {});
// Throws Error naming --label or the file unless all labels are valid class names.
void check_labels(const BrainArguments& a, const std::vector<std::string>& labels);

// Prints "base.csv: 200 rows, 16 features, 4 classes from column 'label'" and warnings on stderr, unless
// --quiet.
void print_data_summary(const BrainArguments& a, const NamedRows& rows);

// Shows progress and listens for Ctrl-C while a call works.
class Work {
  public:
    explicit Work(const BrainArguments& a);
    Progress progress();

  private:
    InterruptGuard guard_;
    ProgressDisplay display_;
};

// "8MB", "512 kB", "1.5GiB", "1000000". Throws Error naming the flag.
std::int64_t parse_bytes(const char* flag, const std::string& text);
// "30s", "2min", "1h", "45". Throws Error naming the flag.
double parse_seconds(const char* flag, const std::string& text);
// A share such as 5% or 0.05, from `low` to `high`. Throws Error that names the flag.
double parse_share(const char* flag, const std::string& text, double low, double high);

// Indented by two spaces per level, with terminal control sequences escaped.
std::string json_text(const Json& json);

// "12.3 MB"
std::string bytes_text(std::size_t bytes);
// "3 classes (owl, wren, robin)"; at most a few names.
std::string names_text(const std::vector<std::string>& names);

}  // namespace fearnet::cli
