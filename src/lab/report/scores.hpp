// The numbers a run is judged by, and their statistics over seeds. The table and summary.json both come from
// here.
#pragma once

#include <optional>
#include <vector>

#include "fearnet/lab/run.hpp"

namespace fearnet::lab {

// One number of a run; none when the run has not come far enough or the learner has no router.
struct Score {
    const char* name;
    std::optional<double> (*of)(const RunRecord&);
};
const std::vector<Score>& all_scores();

// Over those finished runs that have the score. The deviation is the sample's (n - 1) and needs two runs.
struct Statistics {
    std::optional<double> mean;
    std::optional<double> deviation;
};
Statistics statistics(const std::vector<RunRecord>& runs, const Score& score);
// The same of plain values.
Statistics statistics(const std::vector<double>& values);

}  // namespace fearnet::lab
