// From finished runs to the results of an experiment.
#pragma once

#include "fearnet/lab/plan.hpp"
#include "fearnet/lab/results.hpp"

namespace fearnet::lab {

// Reads the runs that lie in `directory`; the others are missing. `problems`: why jobs failed, by id (see
// Schedule).
ExperimentResults collect_results(const Experiment& experiment, const std::vector<PlannedRun>& plan,
                                  const std::filesystem::path& directory,
                                  const std::map<std::string, std::string>& problems,
                                  const RunContext& context);

}  // namespace fearnet::lab
