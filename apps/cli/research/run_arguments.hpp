// The arguments of `fearnet run` and their checks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "data_arguments.hpp"
#include "fearnet/lab/run.hpp"
#include "research/lab.hpp"

namespace fearnet::cli {

// As typed.
struct RunArguments {
    std::string data;
    std::string learner = "fearnet";
    std::string preset;
    std::vector<std::string> settings;
    std::map<std::string, std::string> protocol;  // by name of the field
    std::string far_data;
    std::string seeds = "1";
    std::string threads = "all";
    std::optional<std::string> out;
    bool raw = false;
    DataArguments reading;
    bool quiet = false;
};

// "1,2,3": at least one, none twice. Throws Error.
std::vector<std::uint64_t> parse_seeds(const std::string& text, const char* flag = "--seeds");

// A whole number from low to high. Throws Error naming the flag.
std::int64_t parse_count(const char* flag, const std::string& text, std::int64_t low, std::int64_t high);

// `--set a=1 b=2 DATA` reads as if DATA were a setting: gives it back to `data` when that is missing.
void recover_data(RunArguments& arguments);

// None for "all" processors. Throws Error.
std::optional<int> parse_threads(const std::string& text);

// Adds a flag for every field of a Protocol except `without`; `typed` holds the defaults, then the values
// that the user gives.
void add_protocol_options(Command& command, std::map<std::string, std::string>& typed,
                          const std::string& without = "");

// Checks the arguments before the data is read and the learner is made. Throws Error naming the flag. The
// caller sets the seed of the result.
RunOptions check_arguments(const RunArguments& arguments, const char* command);

// Throws Error unless `directory` is a writable directory or can be created. Creates nothing.
void check_can_write(const std::filesystem::path& directory);

// A directory for results. The constructor creates it with its parents; the destructor removes the created
// directories that are still empty.
class OutputDirectory {
  public:
    // Throws Error if it cannot be created or written to.
    explicit OutputDirectory(const std::filesystem::path& directory);
    ~OutputDirectory();
    OutputDirectory(const OutputDirectory&) = delete;
    OutputDirectory& operator=(const OutputDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    void remove_empty() noexcept;
    std::filesystem::path path_;
    std::vector<std::filesystem::path> made_;  // innermost last
};

}  // namespace fearnet::cli
