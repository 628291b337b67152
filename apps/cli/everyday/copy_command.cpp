#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "everyday/brain_arguments.hpp"
#include "fearnet/error.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(A backup that is consistent while another process learns: NEW holds the state of one instant. Every checksum of the
copy is verified before NEW appears; NEW must not exist.

Example:
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
        fmt::print("{}: a copy of {}, {}\n", printable(a.target), printable(a.brain), bytes_text(bytes));
    return kDone;
}

}  // namespace

void add_copy_command(Program& program) {
    const auto a = std::make_shared<CopyArguments>();
    Command& command = add_brain_command(program, "copy", "Make a backup, also while it is in use", *a);
    command.footer(kFooter);
    command.option("NEW", a->target, "The file to make").required();
    command.run([a] { return copy(*a); });
}

}  // namespace fearnet::cli
