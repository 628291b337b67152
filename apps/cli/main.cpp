// fearnet: the command line. One clear line on stderr and exit code 2 for bad input; see commands.hpp for the
// codes.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <new>

#include "commands.hpp"
#include "fearnet/error.hpp"
#include "fearnet/lab/learners.hpp"
#include "fearnet/options.hpp"
#include "research/machine.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  fearnet new birds.brain                          a brain that knows nothing yet
  fearnet learn birds.brain base.npz               teach it; later more: learn birds.brain owl.npy --label owl
  fearnet predict birds.brain photos.npy --top 3   ask it
  fearnet run languages                            learn 100 languages, half of them one by one
  fearnet run cifar100.npz --preset cifar100 --seeds 1,2,3 --out results
  fearnet paper list                               the experiments of the paper
  fearnet report paper-results                     and their results as a page
  fearnet datasets                                 what can be learned without any file of yours
  fearnet options --preset cub200                  every option that --set takes

'fearnet COMMAND --help' says more about a command.)";

// "Brain::forget: no class is called 'owl'" without the function, which only programmers know.
std::string without_function(const std::string& message) {
    const std::size_t end = message.find(": ");
    const std::string first = message.substr(0, std::min(end, message.size()));
    const bool word = std::all_of(first.begin(), first.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == ':';
    });
    return word && end != message.npos && first.find("::") != first.npos ? message.substr(end + 2) : message;
}

// Messages of other libraries may have several lines; ours to the user has one.
int complain(std::string message, int code) {
    std::replace(message.begin(), message.end(), '\n', ' ');
    message.erase(message.find_last_not_of(" .") + 1);
    std::fflush(stdout);
    fmt::print(stderr, "fearnet: {}\n", printable(message));
    return code;
}

// Last one first, as CLI11 wants them; "help learn" is "learn --help".
std::vector<std::string> arguments_of(int argc, char** argv) {
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    if (!arguments.empty() && arguments[0] == "help") {
        arguments.erase(arguments.begin());
        arguments.resize(std::min<std::size_t>(arguments.size(), 1));
        arguments.push_back("--help");
    }
    std::reverse(arguments.begin(), arguments.end());
    return arguments;
}

std::vector<std::string> command_names(const CLI::App& program) {
    std::vector<std::string> names;
    for (const CLI::App* command :
         program.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); }))
        names.push_back(command->get_name());
    return names;
}

std::string unknown_command(const CLI::App& program, const std::string& name) {
    const std::string meant = most_similar(command_names(program), name);
    const bool near = edit_distance(meant, name) <= std::max<std::size_t>(2, name.size() / 2);
    return fmt::format("no command is called '{}'; {}'fearnet --help' lists them", name,
                       near ? "did you mean '" + meant + "'? " : "");
}

// What was typed wrong, and where to read on.
std::string explained(const CLI::App& program, const CLI::ParseError& error) {
    const std::vector<CLI::App*> given = program.get_subcommands();
    const CLI::App& command = given.empty() ? program : *given.front();
    const std::string help = "; see 'fearnet " + (given.empty() ? "" : command.get_name() + " ") + "--help'";
    const std::vector<std::string> extra = command.remaining(true);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || extra.empty()) return error.what() + help;
    if (given.empty() && !extra[0].starts_with("-")) return unknown_command(program, extra[0]);
    std::string all;
    for (const std::string& argument : extra) all += (all.empty() ? "" : " ") + argument;
    return (given.empty() ? "" : command.get_name() + ": ") + "not expected: " + all + help;
}

int run_program(int argc, char** argv) {
    CLI::App program("Learns one class after another without forgetting.", "fearnet");
    program.set_version_flag("--version", "fearnet " + version());
    program.get_formatter()->column_width(34);

    const std::string command_line = quoted_command_line(argc, argv);
    const std::vector<Command> commands{add_new_command(program),
                                        add_learn_command(program),
                                        add_predict_command(program),
                                        add_sleep_command(program),
                                        add_info_command(program),
                                        add_evaluate_command(program),
                                        add_forget_command(program),
                                        add_rename_command(program),
                                        add_merge_command(program),
                                        add_export_command(program),
                                        add_copy_command(program),
                                        add_check_command(program),
                                        add_run_command(program, command_line),
                                        add_paper_command(program, command_line),
                                        add_report_command(program),
                                        add_tune_command(program),
                                        add_datasets_command(program),
                                        add_options_command(program),
                                        add_bench_command(program),
                                        add_version_command(program),
                                        add_man_command(program),
                                        add_completions_command(program),
                                        add_paper_job_command(program)};
    for (const char* name : {"run", "tune", "paper", "report"})
        program.get_subcommand(name)->group("Research: measure and compare learners");
    for (const char* name : {"datasets", "options", "bench", "man", "completions", "version"})
        program.get_subcommand(name)->group("More");
    program.add_subcommand("help", "This list; 'help COMMAND' says more about one")->group("More");
    program.require_subcommand(0, 1);  // what follows a command may be called like one: 'man learn'
    program.footer(kExamples);         // after all commands: they would take it over
    const std::vector<std::string> names = command_names(program);
    if (argc > 2 && std::string_view(argv[1]) == "help" && argv[2][0] != '-' &&
        std::find(names.begin(), names.end(), argv[2]) == names.end())
        return complain(unknown_command(program, argv[2]), kBadInput);
    try {
        program.parse(arguments_of(argc, argv));
    } catch (const CLI::Success& help_or_version) {
        return program.exit(help_or_version);
    } catch (const CLI::ParseError& error) {
        return complain(explained(program, error), kBadInput);
    }
    for (const Command& command : commands)
        if (command.app->parsed()) return command.run();
    fmt::print("{}", program.help());
    return kDone;
}

}  // namespace
}  // namespace fearnet::cli

int main(int argc, char** argv) {
    using namespace fearnet::cli;
    try {
        fearnet::lab::register_learners();
        return run_program(argc, argv);
    } catch (const fearnet::Cancelled&) {
        return complain("stopped", kInterrupted);
    } catch (const fearnet::Error& error) {
        return complain(without_function(error.what()), kBadInput);
    } catch (const std::bad_alloc&) {
        return complain("out of memory", kUnexpected);
    } catch (const std::exception& error) {
        return complain(std::string("unexpected: ") + error.what(), kUnexpected);
    }
}
