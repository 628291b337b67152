// The subcommands of the program. Each file adds one and says what to do when the user chose it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace fearnet::cli {

// What the program exits with.
constexpr int kDone = 0;
constexpr int kUnexpected = 1;
constexpr int kBadInput = 2;
constexpr int kIncomplete = 3;  // some of the results are missing
constexpr int kInterrupted = 130;

struct Command {
    CLI::App* app;
    std::function<int()> run;  // returns the exit code; throws Error for bad input
};

// `command_line` goes into the report.
Command add_run_command(CLI::App& program, const std::string& command_line);
// One brain in one file.
Command add_new_command(CLI::App& program);
Command add_learn_command(CLI::App& program);
Command add_predict_command(CLI::App& program);
Command add_sleep_command(CLI::App& program);
Command add_info_command(CLI::App& program);
Command add_evaluate_command(CLI::App& program);
Command add_forget_command(CLI::App& program);
Command add_rename_command(CLI::App& program);
Command add_merge_command(CLI::App& program);
Command add_export_command(CLI::App& program);
Command add_copy_command(CLI::App& program);
Command add_check_command(CLI::App& program);

Command add_tune_command(CLI::App& program);
Command add_paper_command(CLI::App& program, const std::string& command_line);
// Hidden: one job of `paper`, in a process of its own.
Command add_paper_job_command(CLI::App& program);
Command add_datasets_command(CLI::App& program);
Command add_options_command(CLI::App& program);
Command add_bench_command(CLI::App& program);
Command add_report_command(CLI::App& program);
Command add_version_command(CLI::App& program);
// Made from what --help says of all commands, these two included; `program` must outlive them.
Command add_man_command(CLI::App& program);
Command add_completions_command(CLI::App& program);

}  // namespace fearnet::cli
