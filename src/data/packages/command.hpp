// Runs other programs, without a shell in between.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fearnet {

struct CommandResult {
    bool started = false;  // false: there is no such program
    int exit_code = -1;    // 128 + signal when a signal ended it
    std::string output;    // the end of what it wrote to standard output and standard error

    bool succeeded() const { return started && exit_code == 0; }
};

// Runs argv[0], found through PATH, with the arguments as they are, in `folder` (empty: here), and waits for
// its end. It reads nothing: its standard input is empty. Throws Error when the system cannot start any
// program.
CommandResult run_command(const std::vector<std::string>& argv, const std::filesystem::path& folder = {});

// The last few non-empty lines of what a command wrote, for messages.
std::string last_lines(const std::string& output, std::size_t lines = 3);

}  // namespace fearnet
