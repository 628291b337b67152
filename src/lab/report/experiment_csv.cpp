#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "fearnet/lab/experiment_files.hpp"
#include "lab/report/csv_text.hpp"

namespace fearnet::lab {
namespace {

constexpr const char* kRunColumns =
    "experiment,row,dataset,learner,preset,settings,seed,classes,base_classes,sleep_every,evaluate_every,"
    "omega_base,omega_new,omega_all,omega_base_restricted,omega_new_restricted,omega_all_restricted,"
    "oracle_base,oracle_new,oracle_all,offline_accuracy,final_accuracy,"
    "memory_bytes,memory_networks,memory_statistics,memory_examples,memory_other\n";
constexpr const char* kSessionColumns =
    "experiment,row,dataset,seed,session,classes_seen,class,slept,base,new,all,"
    "oracle_base,oracle_new,oracle_all,offline_base,offline_new,offline_all,memory_bytes\n";
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string number(double value) {
    return std::isnan(value) ? "" : fmt::format("{:.6f}", value);
}
std::string scores(const OmegaScores& s) {
    return fmt::format("{},{},{}", number(s.omega_base), number(s.omega_new), number(s.omega_all));
}
// There is no newest class after the base session.
std::string accuracies(const SessionAccuracy& a, std::size_t session) {
    return fmt::format("{},{},{}", number(a.base), session == 0 ? "" : number(a.recent), number(a.all));
}

}  // namespace

MemoryColumns memory_columns(const MemoryUse& memory) {
    MemoryColumns columns;
    for (const auto& [kind, bytes] : memory) {
        std::size_t& column = kind == "networks"     ? columns.networks
                              : kind == "statistics" ? columns.statistics
                              : kind == "examples"   ? columns.examples
                                                     : columns.other;
        column += bytes;
    }
    return columns;
}

std::string results_csv(const std::vector<ResultRow>& rows) {
    std::string out = kRunColumns;
    for (const ResultRow& r : rows)
        out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                           csv_text(r.experiment), csv_text(r.row), csv_text(r.dataset), csv_text(r.learner),
                           csv_text(r.preset), csv_text(r.settings), r.seed, r.classes, r.base_classes,
                           r.sleep_every, r.evaluate_every, scores(r.omega), scores(r.restricted),
                           r.oracle ? scores(*r.oracle) : ",,", number(r.offline_accuracy),
                           number(r.final_accuracy), r.memory.total(), r.memory.networks, r.memory.statistics,
                           r.memory.examples, r.memory.other);
    return out;
}

std::string result_sessions_csv(const std::vector<ResultSession>& sessions) {
    std::string out = kSessionColumns;
    for (const ResultSession& line : sessions) {
        const SessionRecord& s = line.record;
        out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_text(line.experiment),
                           csv_text(line.row), csv_text(line.dataset), line.seed, s.session, s.classes_seen,
                           csv_text(s.class_name), s.slept ? 1 : 0, accuracies(s.accuracy, s.session),
                           s.oracle ? accuracies(*s.oracle, s.session) : ",,",
                           accuracies(s.offline, s.session), s.memory_bytes);
    }
    return out;
}

std::optional<double> column_of(const ResultRow& r, const std::string& column) {
    const OmegaScores oracle = r.oracle.value_or(OmegaScores{kNone, kNone, kNone});
    const std::pair<const char*, double> columns[] = {
        {"seed", static_cast<double>(r.seed)},
        {"classes", static_cast<double>(r.classes)},
        {"base_classes", static_cast<double>(r.base_classes)},
        {"sleep_every", static_cast<double>(r.sleep_every)},
        {"evaluate_every", static_cast<double>(r.evaluate_every)},
        {"omega_base", r.omega.omega_base},
        {"omega_new", r.omega.omega_new},
        {"omega_all", r.omega.omega_all},
        {"omega_base_restricted", r.restricted.omega_base},
        {"omega_new_restricted", r.restricted.omega_new},
        {"omega_all_restricted", r.restricted.omega_all},
        {"oracle_base", oracle.omega_base},
        {"oracle_new", oracle.omega_new},
        {"oracle_all", oracle.omega_all},
        {"offline_accuracy", r.offline_accuracy},
        {"final_accuracy", r.final_accuracy},
        {"memory_bytes", static_cast<double>(r.memory.total())},
        {"memory_networks", static_cast<double>(r.memory.networks)},
        {"memory_statistics", static_cast<double>(r.memory.statistics)},
        {"memory_examples", static_cast<double>(r.memory.examples)},
        {"memory_other", static_cast<double>(r.memory.other)}};
    for (const auto& [name, value] : columns)
        if (column == name) return std::isnan(value) ? std::nullopt : std::optional(value);
    throw Error("column '" + column + "': there is no such number in the results");
}

double extrapolated_memory(const std::vector<SessionRecord>& sessions, double classes) {
    if (sessions.empty()) return kNone;
    const SessionRecord &first = sessions.front(), &last = sessions.back();
    const auto bytes = static_cast<double>(last.memory_bytes);
    if (last.classes_seen == first.classes_seen) return bytes;
    const double slope = (bytes - static_cast<double>(first.memory_bytes)) /
                         static_cast<double>(last.classes_seen - first.classes_seen);
    return bytes + slope * (classes - static_cast<double>(last.classes_seen));
}

}  // namespace fearnet::lab
