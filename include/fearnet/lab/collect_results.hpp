// Collects the finished runs of an experiment.
#pragma once

#include "fearnet/lab/plan.hpp"
#include "fearnet/lab/results.hpp"

namespace fearnet::lab {

// Reads the runs of `plan` that do_job left in `directory`. Planned runs that are not there are listed in
// `missing` with the reason; `problems` says why jobs failed, by id of the job (Schedule::problems).
ExperimentResults collect_results(const Experiment& experiment, const std::vector<PlannedRun>& plan,
                                  const std::filesystem::path& directory,
                                  const std::map<std::string, std::string>& problems,
                                  const RunContext& context);

}  // namespace fearnet::lab
