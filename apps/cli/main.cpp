// fearnet: the command line. One clear line on stderr and exit code 2 for bad input; see commands.hpp for the
// codes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "commands.hpp"
#include "common/message.hpp"
#include "fearnet/error.hpp"
#include "fearnet/lab/learners.hpp"
#include "fearnet/options.hpp"
#include "research/machine.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  fearnet new birds.brain                           create a brain without classes
  fearnet learn birds.brain base.npz                teach it the base classes
  fearnet learn birds.brain owl.npy --label owl     teach it one more class
  fearnet predict birds.brain photos.npy --top 3    the three most probable classes of each row
  fearnet run languages                             measure a learner on 100 languages, 50 of them one by one
  fearnet run cifar100.npz --preset cifar100 --seeds 1,2,3 --out results
  fearnet paper list                                list the experiments of the paper
  fearnet report paper-results                      make a page of their results
  fearnet datasets                                  list the built-in data sets
  fearnet options --preset cub200                   list all options with the values of a preset

'fearnet COMMAND --help' describes a command.)";

// Prints the message as one line; messages of other libraries may have several.
int print_error(std::string message, int code) {
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
    add_review_command(program);
    add_discover_command(program);
    add_suggest_command(program);
    add_embed_command(program);
    add_models_command(program);
    add_forget_command(program);
    add_rename_command(program);
    add_merge_command(program);
    add_export_command(program);
    add_copy_command(program);
    add_check_command(program);
    add_serve_command(program);
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
    program.add_command("help", "Print this list; 'help COMMAND' describes a command", kMoreGroup);
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
        return print_error("stopped", kInterrupted);
    } catch (const fearnet::Error& error) {
        return print_error(fearnet::apps::without_function(error.what()), kBadInput);
    } catch (const std::bad_alloc&) {
        return print_error("out of memory", kUnexpected);
    } catch (const std::exception& error) {
        return print_error(std::string("unexpected: ") + error.what(), kUnexpected);
    }
}
