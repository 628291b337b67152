// Records to files and tables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fearnet/evaluation/run.hpp"

namespace fearnet {

// sessions.csv: one row per session and seed. Numbers are printed so that reading them back gives the same double.
std::string sessions_csv(const std::vector<RunRecord>& runs);
// summary.json: one object per run plus mean and deviation over the finished ones.
std::string summary_json(const std::vector<RunRecord>& runs);
// accuracy.svg: accuracy over sessions, mean and spread over seeds, sleeps marked, the offline line.
std::string accuracy_svg(const std::vector<RunRecord>& runs);
// The Omega table for a terminal; oracle and learned router side by side when there is one.
std::string omega_table(const std::vector<RunRecord>& runs);

// Writes all three into `directory` (made if missing); each file appears whole or not at all.
void write_report(const std::filesystem::path& directory, const std::vector<RunRecord>& runs);

}  // namespace fearnet
