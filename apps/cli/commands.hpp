// The subcommands of the program. Each file adds one and says what to do when the user chose it.
#pragma once

#include <string>

#include "command_line.hpp"

namespace fearnet::cli {

// Exit codes of the program.
constexpr int kDone = 0;
constexpr int kUnexpected = 1;
constexpr int kBadInput = 2;
constexpr int kIncomplete = 3;  // some of the results are missing
constexpr int kInterrupted = 130;

// `command_line` goes into the report.
void add_run_command(Program& program, const std::string& command_line);
// One brain in one file.
void add_new_command(Program& program);
void add_learn_command(Program& program);
void add_predict_command(Program& program);
void add_sleep_command(Program& program);
void add_info_command(Program& program);
void add_evaluate_command(Program& program);
void add_review_command(Program& program);
void add_discover_command(Program& program);
void add_suggest_command(Program& program);
void add_embed_command(Program& program);
void add_models_command(Program& program);
void add_forget_command(Program& program);
void add_rename_command(Program& program);
void add_merge_command(Program& program);
void add_export_command(Program& program);
void add_copy_command(Program& program);
void add_check_command(Program& program);
// Brains for other programs and for people.
void add_serve_command(Program& program);

void add_tune_command(Program& program);
void add_paper_command(Program& program, const std::string& command_line);
// Hidden: runs one job of `paper` in a separate process.
void add_paper_job_command(Program& program);
void add_datasets_command(Program& program);
void add_options_command(Program& program);
void add_bench_command(Program& program);
void add_report_command(Program& program);
void add_version_command(Program& program);
// Made from what --help says of all commands, these two included.
void add_man_command(Program& program);
void add_completions_command(Program& program);

}  // namespace fearnet::cli
