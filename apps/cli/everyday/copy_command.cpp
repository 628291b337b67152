#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "everyday/brain_arguments.hpp"
#include "fearnet/error.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(The backup is consistent even while another process writes to the brain: NEW is a snapshot of one moment. Every
checksum of the copy is verified before NEW is created. NEW must not exist.

Examples:
  fearnet copy birds.brain birds-backup.brain)";

struct CopyArguments : BrainArguments {
    std::string target;
};

int copy(const CopyArguments& a) {
    const Brain brain = open_brain(a, BrainAccess::read);
    brain.copy_to(a.target);
    const std::size_t bytes = std::filesystem::file_size(a.target);
    if (a.json)
        fmt::print("{}\n", json_text({{"brain", a.brain}, {"copy", a.target}, {"file_bytes", bytes}}));
    else
        fmt::print("{}: copy of {}, {}\n", printable(a.target), printable(a.brain), bytes_text(bytes));
    return kDone;
}

}  // namespace

void add_copy_command(Program& program) {
    const auto a = std::make_shared<CopyArguments>();
    Command& command = add_brain_command(program, "copy", "Back up a brain, even while it is in use", *a);
    command.footer(kFooter);
    command.option("NEW", a->target, "File to create").required();
    command.run([a] { return copy(*a); });
}

}  // namespace fearnet::cli
