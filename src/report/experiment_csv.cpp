#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "fearnet/report/experiment_files.hpp"
#include "io/csv_lines.hpp"
#include "report/csv_text.hpp"

namespace fearnet {
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

// Records of a CSV file with their fields by the name of the column.
class Table {
  public:
    Table(const std::string& text, const std::string& what) : lines_(text, what), what_(what) {
        std::vector<std::string> names;
        if (!lines_.next(names)) throw Error(what + ": it is empty");
        for (std::size_t i = 0; i < names.size(); ++i) at_[names[i]] = i;
        columns_ = names.size();
    }
    bool next() {
        if (!lines_.next(fields_)) return false;
        if (fields_.size() != columns_)
            lines_.fail(fmt::format("{} fields but {} columns", fields_.size(), columns_));
        return true;
    }
    const std::string& text(const std::string& column) const {
        const auto it = at_.find(column);
        if (it == at_.end()) throw Error(what_ + ": there is no column '" + column + "'");
        return fields_[it->second];
    }
    // NaN where it is empty.
    double real(const std::string& column) const {
        return text(column).empty() ? kNone : parse<double>(column);
    }
    template <class Integer>
    Integer integer(const std::string& column) const {
        return parse<Integer>(column);
    }
    OmegaScores omega(const std::string& base, const std::string& recent, const std::string& all) const {
        return {real(base), real(recent), real(all)};
    }
    SessionAccuracy accuracy(const std::string& prefix) const {
        const std::string& recent = text(prefix + "new");
        return {real(prefix + "base"), recent.empty() ? 0 : real(prefix + "new"), real(prefix + "all")};
    }

  private:
    template <class Number>
    Number parse(const std::string& column) const {
        const std::string& field = text(column);
        Number value{};
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
        if (field.empty() || error != std::errc() || end != field.data() + field.size())
            lines_.fail("column " + column + ": '" + field + "' is not a number");
        return value;
    }
    io::CsvLines lines_;
    std::string what_;
    std::map<std::string, std::size_t> at_;
    std::size_t columns_ = 0;
    std::vector<std::string> fields_;
};

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

std::vector<ResultRow> parse_results_csv(const std::string& text, const std::string& what) {
    Table t(text, what);
    std::vector<ResultRow> rows;
    while (t.next()) {
        ResultRow r;
        r.experiment = t.text("experiment"), r.row = t.text("row"), r.dataset = t.text("dataset");
        r.learner = t.text("learner"), r.preset = t.text("preset"), r.settings = t.text("settings");
        r.seed = t.integer<std::uint64_t>("seed");
        r.classes = t.integer<std::size_t>("classes");
        r.base_classes = t.integer<std::size_t>("base_classes");
        r.sleep_every = t.integer<std::int64_t>("sleep_every");
        r.evaluate_every = t.integer<std::int64_t>("evaluate_every");
        r.omega = t.omega("omega_base", "omega_new", "omega_all");
        r.restricted = t.omega("omega_base_restricted", "omega_new_restricted", "omega_all_restricted");
        const OmegaScores oracle = t.omega("oracle_base", "oracle_new", "oracle_all");
        if (!std::isnan(oracle.omega_all)) r.oracle = oracle;
        r.offline_accuracy = t.real("offline_accuracy"), r.final_accuracy = t.real("final_accuracy");
        r.memory = {t.integer<std::size_t>("memory_networks"), t.integer<std::size_t>("memory_statistics"),
                    t.integer<std::size_t>("memory_examples"), t.integer<std::size_t>("memory_other")};
        rows.push_back(std::move(r));
    }
    return rows;
}

std::vector<ResultSession> parse_result_sessions_csv(const std::string& text, const std::string& what) {
    Table t(text, what);
    std::vector<ResultSession> sessions;
    while (t.next()) {
        ResultSession line{
            t.text("experiment"), t.text("row"), t.text("dataset"), t.integer<std::uint64_t>("seed"), {}};
        SessionRecord& s = line.record;
        s.session = t.integer<std::size_t>("session");
        s.classes_seen = t.integer<std::size_t>("classes_seen");
        s.class_name = t.text("class");
        s.slept = t.integer<int>("slept") != 0;
        s.accuracy = t.accuracy("");
        if (!t.text("oracle_all").empty()) s.oracle = t.accuracy("oracle_");
        s.offline = t.accuracy("offline_");
        s.memory_bytes = t.integer<std::size_t>("memory_bytes");
        sessions.push_back(std::move(line));
    }
    return sessions;
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

}  // namespace fearnet
