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

int run_program(int argc, char** argv) {
    Program program("Learns one class after another without forgetting.", version());
    const std::string command_line = quoted_command_line(argc, argv);
    add_new_command(program);
    add_learn_command(program);
    add_predict_command(program);
    add_sleep_command(program);
    add_info_command(program);
    add_evaluate_command(program);
    add_forget_command(program);
    add_rename_command(program);
    add_merge_command(program);
    add_export_command(program);
    add_copy_command(program);
    add_check_command(program);
    add_run_command(program, command_line);
    add_paper_command(program, command_line);
    add_report_command(program);
    add_tune_command(program);
    add_datasets_command(program);
    add_options_command(program);
    add_bench_command(program);
    add_version_command(program);
    add_man_command(program);
    add_completions_command(program);
    add_paper_job_command(program);
    program.add_command("help", "This list; 'help COMMAND' says more about one", kMoreGroup);
    return program.run(argc, argv, kExamples);
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
