#include <fmt/format.h>

#include "commands.hpp"
#include "research/machine.hpp"

namespace fearnet::cli {

void add_version_command(Program& program) {
    program.add_command("version", "Print the version", kMoreGroup).run([] {
        fmt::print("fearnet {}\n", version());
        return kDone;
    });
}

}  // namespace fearnet::cli
