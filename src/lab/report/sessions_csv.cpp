#include <fmt/format.h>

#include "fearnet/lab/report.hpp"
#include "lab/report/csv_text.hpp"

namespace fearnet::lab {
namespace {

// base,new,all; there is no newest class after the base session. fmt prints the shortest text that reads back
// as the same double.
std::string accuracies(const SessionAccuracy& a, std::size_t session) {
    return fmt::format("{},{},{}", a.base, session == 0 ? "" : fmt::format("{}", a.recent), a.all);
}

}  // namespace

std::string sessions_csv(const std::vector<RunRecord>& runs) {
    std::string out =
        "dataset,learner,preset,seed,session,class,classes_seen,slept,"
        "accuracy_base,accuracy_new,accuracy_all,oracle_base,oracle_new,oracle_all,"
        "offline_base,offline_new,offline_all,memory_bytes,seconds\n";
    for (const RunRecord& run : runs) {
        const std::string who =
            csv_text(run.dataset) + ',' + csv_text(run.learner) + ',' + csv_text(run.preset);
        for (const SessionRecord& s : run.sessions)
            out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", who, run.seed, s.session,
                               csv_text(s.class_name), s.classes_seen, s.slept ? 1 : 0,
                               accuracies(s.accuracy, s.session),
                               s.oracle ? accuracies(*s.oracle, s.session) : ",,",
                               accuracies(s.offline, s.session), s.memory_bytes, s.seconds);
    }
    return out;
}

}  // namespace fearnet::lab
