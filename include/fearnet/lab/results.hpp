// From finished runs to the files and the table of an experiment.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fearnet/lab/experiment_files.hpp"
#include "fearnet/lab/plan.hpp"
#include "fearnet/lab/report.hpp"

namespace fearnet::lab {

// A run of the plan that has no result.
struct MissingRun {
    std::string row;
    std::string dataset;
    std::uint64_t seed = 0;
    std::string reason;
    bool skipped = false;  // because the user said so
};

// One that has.
struct FinishedRun {
    std::string id;
    ResultRow row;
    RunRecord record;
};

struct ExperimentResults {
    std::vector<FinishedRun> runs;    // in the order of the plan
    std::vector<MissingRun> missing;  // the same
};

// Reads what lies in `directory`. `problems`: why jobs failed, by id (see Schedule).
ExperimentResults collect_results(const Experiment& experiment, const std::vector<PlannedRun>& plan,
                                  const std::filesystem::path& directory,
                                  const std::map<std::string, std::string>& problems);

// NAME.json: see docs/experiments.md.
std::string experiment_json(const Experiment& experiment, const ExperimentResults& results,
                            const RunContext& context);

// NAME.csv, NAME_sessions.csv and NAME.json in `directory`, each whole or not at all. The CSV files depend on
// the runs alone. Throws Error naming the path when it cannot.
void write_results(const Experiment& experiment, const ExperimentResults& results, const RunContext& context,
                   const std::filesystem::path& directory);

// For a terminal: one line per row and data set, each number as mean over seeds, beside the paper's and the
// difference. Shows the columns the paper has numbers for or, if it has none, the three Omegas.
std::string comparison_table(const Experiment& experiment, const ExperimentResults& results);

// A number of a run by the name of its column; also memory_bytes_1000, what it would keep at 1,000 classes.
std::optional<double> number_of(const FinishedRun& run, const std::string& column);

}  // namespace fearnet::lab
