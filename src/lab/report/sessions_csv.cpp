#include "fearnet/lab/report.hpp"
#include "lab/results/column_csv.hpp"

namespace fearnet::lab {

std::string sessions_csv(const std::vector<RunRecord>& runs) {
    std::vector<ResultSession> sessions;
    for (const RunRecord& run : runs)
        for (const SessionRecord& s : run.sessions)
            sessions.push_back({"", "", run.dataset, run.learner, run.preset, run.seed, s});
    return csv_of(run_session_columns(), std::move(sessions), Decimals::all);
}

}  // namespace fearnet::lab
