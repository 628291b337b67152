#include "lab/results/columns.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "fearnet/error.hpp"

namespace fearnet::lab {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::optional<double> if_defined(double value) {
    if (std::isnan(value)) return std::nullopt;
    return value;
}

// object.*first.*second...
template <auto first, auto... rest>
auto& follow(auto& object) {
    if constexpr (sizeof...(rest) == 0)
        return object.*first;
    else
        return follow<rest...>(object.*first);
}

template <class Line, auto... path>
Column<Line> text(const char* name, const char* title, const char* meaning) {
    return {name, title, meaning, Unit::text,
            [](Line& line) -> std::string& { return follow<path...>(line); }};
}

template <class Line, Unit unit, auto... path>
Column<Line> number(const char* name, const char* title, const char* meaning) {
    using Record = typename Column<Line>::Record;
    Column<Line> column{name, title, meaning, unit};
    column.get = [](const Record& record) {
        return if_defined(static_cast<double>(follow<path...>(record)));
    };
    column.set = [](Record& record, double value) {
        auto& field = follow<path...>(record);
        field = static_cast<std::remove_reference_t<decltype(field)>>(value);
    };
    return column;
}

// Pointer to the three scores or accuracies of a record; null if the record has none.
auto* existing(auto& triple) {
    if constexpr (requires { triple.has_value(); })
        return triple ? &*triple : nullptr;
    else
        return &triple;
}

// The base session has no newest class.
template <auto field, class Record>
bool is_absent(const Record& record) {
    if constexpr (std::is_same_v<Record, SessionRecord>)
        return field == &SessionAccuracy::recent && record.session == 0;
    return false;
}

// `triple` is a member of the record, `field` a member of the triple.
template <class Line, auto triple, auto field>
Column<Line> score(const char* name, const char* title, const char* meaning) {
    using Record = typename Column<Line>::Record;
    Column<Line> column{name, title, meaning,
                        std::is_same_v<Record, RunRecord> ? Unit::score : Unit::accuracy};
    column.get = [](const Record& record) -> std::optional<double> {
        const auto* scores = existing(record.*triple);
        if (scores == nullptr || is_absent<field>(record)) return std::nullopt;
        return if_defined(scores->*field);
    };
    column.set = [](Record& record, double value) {
        if constexpr (requires { (record.*triple).has_value(); })
            if (!(record.*triple) && !std::isnan(value)) record.*triple = {kNone, kNone, kNone};
        if (auto* scores = existing(record.*triple)) scores->*field = is_absent<field>(record) ? 0 : value;
    };
    return column;
}

constexpr std::array kMemoryKinds{"networks", "statistics", "examples"};
// The part of memory_bytes that is of no other kind. memory_bytes is set before the kinds.
constexpr const char* kOther = "other";

double total_memory(const RunRecord& run) {
    return std::accumulate(run.memory.begin(), run.memory.end(), 0.0, [](double sum, const auto& kind) {
        return sum + static_cast<double>(kind.second);
    });
}

double memory_of(const RunRecord& run, const char* kind) {
    const auto found = run.memory.find(kind);
    return found == run.memory.end() ? 0 : static_cast<double>(found->second);
}

double other_memory(const RunRecord& run) {
    double rest = total_memory(run);
    for (const char* kind : kMemoryKinds) rest -= memory_of(run, kind);
    return rest;
}

template <std::size_t kind>
Column<ResultRun> memory(const char* name, const char* title, const char* meaning) {
    Column<ResultRun> column{name, title, meaning, Unit::bytes};
    column.get = [](const RunRecord& run) { return std::optional(memory_of(run, kMemoryKinds[kind])); };
    column.set = [](RunRecord& run, double value) {
        if (value > memory_of(run, kOther)) throw Error("the sum of the memory kinds exceeds memory_bytes");
        run.memory[kOther] -= static_cast<std::size_t>(value);
        run.memory[kMemoryKinds[kind]] = static_cast<std::size_t>(value);
    };
    return column;
}

// The columns of a session, after `columns`.
std::vector<Column<ResultSession>> session_columns(std::vector<Column<ResultSession>> columns) {
    using S = ResultSession;
    using R = SessionRecord;
    using A = SessionAccuracy;
    const Column<S> measured[] = {
        number<S, Unit::count, &R::session>("session", "session",
                                            "number of the session; 0 is the base session"),
        number<S, Unit::count, &R::classes_seen>("classes_seen", "classes so far",
                                                 "number of classes taught so far"),
        text<S, &S::record, &R::class_name>("class", "class",
                                            "class taught in the session; empty for the base session"),
        number<S, Unit::flag, &R::slept>("slept", "slept",
                                         "1 if the learner slept before the evaluation, else 0"),
        score<S, &R::accuracy, &A::base>("base", "base", "mean-class test accuracy on the base classes"),
        score<S, &R::accuracy, &A::recent>("new", "new",
                                           "test accuracy on the newest class; empty for the base session"),
        score<S, &R::accuracy, &A::all>("all", "all",
                                        "mean-class test accuracy on all classes taught so far"),
        score<S, &R::oracle, &A::base>("oracle_base", "base, oracle",
                                       "`base` with a perfect router; empty for learners without a router"),
        score<S, &R::oracle, &A::recent>("oracle_new", "new, oracle", "`new` with a perfect router"),
        score<S, &R::oracle, &A::all>("oracle_all", "all, oracle", "`all` with a perfect router"),
        score<S, &R::offline, &A::base>("offline_base", "base, offline",
                                        "`base` of the offline MLP, restricted to the classes taught so far"),
        score<S, &R::offline, &A::recent>("offline_new", "new, offline",
                                          "`new` of the offline MLP, restricted in the same way"),
        score<S, &R::offline, &A::all>("offline_all", "all, offline",
                                       "`all` of the offline MLP, restricted in the same way"),
        number<S, Unit::bytes, &R::memory_bytes>("memory_bytes", "memory",
                                                 "bytes that the learner keeps after the session"),
    };
    columns.insert(columns.end(), std::begin(measured), std::end(measured));
    return columns;
}

template <class Line>
std::vector<Column<Line>> with_open_world(std::vector<Column<Line>> columns) {
    const std::vector<Column<Line>> more = open_world_columns<Line>();
    columns.insert(columns.end(), more.begin(), more.end());
    return columns;
}

// The columns that every run has.
std::vector<Column<ResultRun>> plain_run_columns() {
    using L = ResultRun;
    using R = RunRecord;
    using O = OmegaScores;
    return {
        text<L, &L::experiment>("experiment", "experiment", "name of the experiment"),
        text<L, &L::row>("row", "row", "name of the row"),
        text<L, &L::record, &R::dataset>("dataset", "data set", "name of the data set in the experiment"),
        text<L, &L::record, &R::learner>("learner", "learner", "name of the learner"),
        text<L, &L::record, &R::preset>("preset", "preset", "preset of the learner; may be empty"),
        text<L, &L::settings>("settings", "settings", "settings beside the preset, as `key=value;key=value`"),
        {"seed", "seed", "seed of the class order and all random choices", Unit::seed},
        number<L, Unit::count, &R::classes>("classes", "classes", "number of classes of the data set"),
        number<L, Unit::count, &R::protocol, &Protocol::base_classes>(
            "base_classes", "base classes", "number of classes of the base session"),
        number<L, Unit::count, &R::protocol, &Protocol::sleep_every>(
            "sleep_every", "sleep every", "number of sessions between two sleeps; 0: never"),
        number<L, Unit::count, &R::protocol, &Protocol::evaluate_every>(
            "evaluate_every", "evaluated every", "number of sessions between two evaluations"),
        score<L, &R::omega, &O::omega_base>(
            "omega_base", "\u03a9 base", "mean accuracy on the base classes, divided by `offline_accuracy`"),
        score<L, &R::omega, &O::omega_new>("omega_new", "\u03a9 new", "mean accuracy on the newest class"),
        score<L, &R::omega, &O::omega_all>(
            "omega_all", "\u03a9 all",
            "mean accuracy on all classes taught so far, divided by `offline_accuracy`"),
        score<L, &R::omega_restricted, &O::omega_base>(
            "omega_base_restricted", "\u03a9 base, restricted",
            "as `omega_base`, but divided by `offline_base` of each session"),
        score<L, &R::omega_restricted, &O::omega_new>("omega_new_restricted", "\u03a9 new, restricted",
                                                      "equal to `omega_new`"),
        score<L, &R::omega_restricted, &O::omega_all>(
            "omega_all_restricted", "\u03a9 all, restricted",
            "as `omega_all`, but divided by `offline_all` of each session"),
        score<L, &R::omega_oracle, &O::omega_base>(
            "oracle_base", "\u03a9 base, oracle",
            "`omega_base` with a perfect router; empty for learners without a router"),
        score<L, &R::omega_oracle, &O::omega_new>("oracle_new", "\u03a9 new, oracle",
                                                  "`omega_new` with a perfect router"),
        score<L, &R::omega_oracle, &O::omega_all>("oracle_all", "\u03a9 all, oracle",
                                                  "`omega_all` with a perfect router"),
        number<L, Unit::accuracy, &R::offline_accuracy>(
            "offline_accuracy", "offline MLP", "mean-class accuracy of the offline MLP on all classes"),
        number<L, Unit::accuracy, &R::final_accuracy>(
            "final_accuracy", "final accuracy", "mean-class accuracy on all classes after the last session"),
        {"memory_bytes", "memory",
         "bytes that the learner keeps after the last session: the sum of the next four columns", Unit::bytes,
         nullptr, [](const R& r) { return std::optional(total_memory(r)); },
         [](R& r, double bytes) {
             r.memory = {{kOther, static_cast<std::size_t>(bytes)}};
         }},
        memory<0>("memory_networks", "networks", "bytes of network weights"),
        memory<1>("memory_statistics", "statistics", "bytes of statistics, such as means and covariances"),
        memory<2>("memory_examples", "examples", "bytes of stored rows"),
        {"memory_other", "other memory", "bytes of anything else", Unit::bytes, nullptr,
         [](const R& r) { return std::optional(other_memory(r)); },
         [](R& r, double bytes) {
             if (bytes != other_memory(r)) throw Error("memory_bytes is not the sum of its kinds");
         }},
        {"memory_bytes_1000", "memory at 1,000 classes",
         "not in the file: `memory_bytes` extrapolated to 1,000 classes", Unit::bytes, nullptr,
         [](const R& r) { return extrapolated_memory(r.sessions, kManyClasses); }},
    };
}

}  // namespace

const std::vector<Column<ResultRun>>& run_columns() {
    static const std::vector<Column<ResultRun>> kColumns = with_open_world(plain_run_columns());
    return kColumns;
}

const std::vector<Column<ResultSession>>& result_session_columns() {
    using S = ResultSession;
    static const std::vector<Column<S>> kColumns = with_open_world(
        session_columns({text<S, &S::experiment>("experiment", "experiment", "as in NAME.csv"),
                         text<S, &S::row>("row", "row", "as in NAME.csv"),
                         text<S, &S::dataset>("dataset", "data set", "as in NAME.csv"),
                         {"seed", "seed", "as in NAME.csv", Unit::seed}}));
    return kColumns;
}

const std::vector<Column<ResultSession>>& run_session_columns() {
    using S = ResultSession;
    static const std::vector<Column<S>> kColumns = [] {
        auto columns = session_columns(
            {text<S, &S::dataset>("dataset", "data set", "name of the built-in data set, or the file"),
             text<S, &S::learner>("learner", "learner", "name of the learner, as given to `--learner`"),
             text<S, &S::preset>("preset", "preset",
                                 "preset of the learner, as given to `--preset`; may be empty"),
             {"seed", "seed", "seed of the class order and all random choices", Unit::seed}});
        columns.push_back(number<S, Unit::score, &SessionRecord::seconds>(
            "seconds", "seconds", "wall-clock seconds of learning and sleeping in the session"));
        return with_open_world(std::move(columns));
    }();
    return kColumns;
}

const Column<ResultRun>* find_column(std::string_view name) {
    for (const Column<ResultRun>& column : run_columns())
        if (name == column.name && column.get != nullptr) return &column;
    return nullptr;
}

const Column<ResultRun>& column_named(std::string_view name) {
    if (const Column<ResultRun>* column = find_column(name)) return *column;
    std::string known;
    for (const Column<ResultRun>& c : run_columns())
        if (c.get != nullptr) known += (known.empty() ? "" : ", ") + std::string(c.name);
    throw Error("column '" + std::string(name) + "': no such numeric column; the columns are " + known);
}

std::optional<double> number_of(const RunRecord& run, const std::string& column) {
    return column_named(column).get(run);
}

std::optional<double> extrapolated_memory(const std::vector<SessionRecord>& sessions, double classes) {
    if (sessions.empty()) return std::nullopt;
    const SessionRecord *first = &sessions.front(), *last = nullptr;
    for (const SessionRecord& s : sessions)
        if (s.slept) last = &s;
    if (last == nullptr) last = &sessions.back();
    if (last->classes_seen <= first->classes_seen) return std::nullopt;
    const auto bytes = static_cast<double>(last->memory_bytes);
    const double slope = (bytes - static_cast<double>(first->memory_bytes)) /
                         static_cast<double>(last->classes_seen - first->classes_seen);
    return bytes + slope * (classes - static_cast<double>(last->classes_seen));
}

}  // namespace fearnet::lab
