// Reports: run records as CSV, JSON, SVG and terminal tables. The records of one call are runs of one data
// set and one learner with different seeds. All functions are pure except run_page, which reads pictures, and
// write_report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fearnet/lab/results.hpp"

namespace fearnet::lab {

// sessions.csv: one line per evaluated session and seed. Numbers are printed with enough digits to read back
// the same double. docs/formats/sessions_csv.md lists the columns.
std::string sessions_csv(const std::vector<RunRecord>& runs);
// summary.json: one object per run, and mean and sample standard deviation over the finished runs.
// docs/formats/summary_json.md lists the fields.
std::string summary_json(const std::vector<RunRecord>& runs, const RunContext& context = {});
// accuracy.svg: a plot of accuracy over sessions (mean and spread over seeds) with sleeps and the accuracy of
// the offline model. It shows the finished runs or, if there are none, those that were stopped.
std::string accuracy_svg(const std::vector<RunRecord>& runs);
// page.html: the accuracy over sessions, the classes, and some answers with their pictures or texts; the last
// two of the first run. Self-contained. Reads the pictures that the answers name.
std::string run_page(const std::vector<RunRecord>& runs, const RunContext& context = {});
// A table of Omega scores for a terminal: one line per seed, then mean and sample standard deviation over the
// finished runs. For learners with a router it also has the scores with a perfect router.
std::string omega_table(const std::vector<RunRecord>& runs);
// The open-world answers of the runs for a terminal, as means over sessions and runs. Empty if no run has
// them.
std::string open_world_table(const std::vector<RunRecord>& runs);

// The results of an experiment for a terminal: one line per row and data set. Each cell has the mean over the
// seeds, the paper's number and the difference. The columns are those for which the paper has numbers or, if
// it has none, the main open-world answers or the three Omega scores.
std::string comparison_table(const ExperimentResults& results);

// Writes sessions.csv, summary.json, accuracy.svg and page.html into `directory`, which is created if necessary. Each
// file is written atomically and replaces an older one. Throws Error, with the path, if that fails.
void write_report(const std::filesystem::path& directory, const std::vector<RunRecord>& runs,
                  const RunContext& context = {});

}  // namespace fearnet::lab
