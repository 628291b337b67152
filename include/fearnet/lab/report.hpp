// Records to files and tables. Functions of RunRecords take those of one data set, one learner and several
// seeds. All of them are pure except write_report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fearnet/lab/results.hpp"

namespace fearnet::lab {

// sessions.csv: one row per session and seed. Numbers are printed so that reading them back gives the same
// double. Columns: docs/formats/sessions_csv.md.
std::string sessions_csv(const std::vector<RunRecord>& runs);
// summary.json: one object per run plus mean and deviation over the finished ones. Fields:
// docs/formats/summary_json.md.
std::string summary_json(const std::vector<RunRecord>& runs, const RunContext& context = {});
// accuracy.svg: accuracy over sessions, mean and spread over seeds, sleeps marked, the offline lines. Shows
// the finished runs; where there is none, those that were stopped.
std::string accuracy_svg(const std::vector<RunRecord>& runs);
// The Omega table for a terminal, one row per seed, then mean and deviation over the finished runs; oracle
// and learned router side by side when there is an oracle.
std::string omega_table(const std::vector<RunRecord>& runs);

// The results of an experiment for a terminal: one line per row and data set, each number as mean over seeds,
// beside the paper's and the difference. Shows the columns the paper has numbers for or, if it has none, the
// three Omegas.
std::string comparison_table(const ExperimentResults& results);

// Writes sessions.csv, summary.json and accuracy.svg into `directory` (made if missing). Each file appears
// whole or not at all, replacing an older one. Throws Error naming the path when it cannot.
void write_report(const std::filesystem::path& directory, const std::vector<RunRecord>& runs,
                  const RunContext& context = {});

}  // namespace fearnet::lab
