#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "description.hpp"
#include "fearnet/error.hpp"
#include "output.hpp"
#include "research/machine.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kManFooter =
    R"(Prints the manual page of one command, or of the program, in the format of man(1). --out writes all pages.

Examples:
  fearnet man learn | man -l -
  fearnet man --out ~/.local/share/man/man1)";

constexpr const char* kCompletionsFooter =
    R"(Prints a script with which the shell completes commands, options and values. 'cmake --install' installs the scripts
of all three shells.

Examples:
  source <(fearnet completions bash)
  fearnet completions zsh > ~/.zfunc/_fearnet
  fearnet completions fish > ~/.config/fish/completions/fearnet.fish)";

struct ManArguments {
    std::string command, out;
};

int write_pages(const std::vector<CommandDescription>& all, const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Error(fmt::format("--out {}: {}", folder, error.message()));
    for (const CommandDescription& c : all) {
        Output file(folder + (c.name.empty() ? "/fearnet" : "/fearnet-" + c.name) + ".1");
        file.write(manual_page(c, all, version()));
        file.finish();
    }
    return kDone;
}

int print_page(const Program& program, const ManArguments& a) {
    const std::vector<CommandDescription> all = program.describe();
    if (!a.out.empty()) return write_pages(all, a.out);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const CommandDescription& c) { return c.name == a.command; });
    if (found == all.end())
        throw Error(fmt::format("man: no command is called '{}'; 'fearnet --help' lists them", a.command));
    fmt::print("{}", manual_page(*found, all, version()));
    return kDone;
}

}  // namespace

void add_man_command(Program& program) {
    const auto a = std::make_shared<ManArguments>();
    Command& command = program.add_command("man", "Print a manual page", kMoreGroup);
    command.footer(kManFooter);
    command.option("COMMAND", a->command, "Command to describe; default: the program");
    command.option("--out", a->out, "Write the pages of all commands to this directory").value_name("DIR");
    command.run([a, &program] { return print_page(program, *a); });
}

void add_completions_command(Program& program) {
    const auto shell = std::make_shared<std::string>();
    Command& command =
        program.add_command("completions", "Print a completion script for a shell", kMoreGroup);
    command.footer(kCompletionsFooter);
    command.option("SHELL", *shell, "Shell to print the script for")
        .required()
        .one_of({"bash", "zsh", "fish"});
    command.run([shell, &program] {
        const std::vector<CommandDescription> all = program.describe();
        fmt::print("{}", *shell == "bash"  ? bash_completions(all)
                         : *shell == "zsh" ? zsh_completions(all)
                                           : fish_completions(all));
        return kDone;
    });
}

}  // namespace fearnet::cli
