#include <fmt/format.h>

#include "commands.hpp"
#include "research/machine.hpp"

namespace fearnet::cli {

Command add_version_command(CLI::App& program) {
    return {program.add_subcommand("version", "Print the version"), [] {
                fmt::print("fearnet {}\n", version());
                return kDone;
            }};
}

}  // namespace fearnet::cli
