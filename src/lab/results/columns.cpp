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

// The member of a member ... of `object`.
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

// The three scores or accuracies that a record has, or may have.
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
// What the other kinds leave of all memory: kinds are set after the sum.
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
        if (value > memory_of(run, kOther)) throw Error("with it the kinds exceed memory_bytes");
        run.memory[kOther] -= static_cast<std::size_t>(value);
        run.memory[kMemoryKinds[kind]] = static_cast<std::size_t>(value);
    };
    return column;
}

// With `columns` before them.
std::vector<Column<ResultSession>> measured_in_a_session(std::vector<Column<ResultSession>> columns) {
    using S = ResultSession;
    using R = SessionRecord;
    using A = SessionAccuracy;
    const Column<S> measured[] = {
        number<S, Unit::count, &R::session>("session", "session", "0 is the base session, then 1, 2, ..."),
        number<S, Unit::count, &R::classes_seen>("classes_seen", "classes so far", "classes taught so far"),
        text<S, &S::record, &R::class_name>("class", "class", "the class taught; empty for the base session"),
        number<S, Unit::flag, &R::slept>("slept", "slept", "1 when the learner slept before it was tested"),
        score<S, &R::accuracy, &A::base>("base", "base", "mean-class test accuracy on the base classes"),
        score<S, &R::accuracy, &A::recent>("new", "new", "on the newest class; empty for the base session"),
        score<S, &R::accuracy, &A::all>("all", "all", "on all classes taught so far"),
        score<S, &R::oracle, &A::base>("oracle_base", "base, oracle",
                                       "with a perfect router; empty without one"),
        score<S, &R::oracle, &A::recent>("oracle_new", "new, oracle", "the same on the newest class"),
        score<S, &R::oracle, &A::all>("oracle_all", "all, oracle", "the same on all classes taught so far"),
        score<S, &R::offline, &A::base>("offline_base", "base, offline",
                                        "of the offline MLP, answering only with the classes taught so far"),
        score<S, &R::offline, &A::recent>("offline_new", "new, offline", "the same on the newest class"),
        score<S, &R::offline, &A::all>("offline_all", "all, offline",
                                       "the same on all classes taught so far"),
        number<S, Unit::bytes, &R::memory_bytes>("memory_bytes", "memory",
                                                 "what the learner keeps after the session"),
    };
    columns.insert(columns.end(), std::begin(measured), std::end(measured));
    return columns;
}

}  // namespace

const std::vector<Column<ResultRun>>& run_columns() {
    using L = ResultRun;
    using R = RunRecord;
    using O = OmegaScores;
    static const std::vector<Column<L>> kColumns{
        text<L, &L::experiment>("experiment", "experiment", "the experiment's name"),
        text<L, &L::row>("row", "row", "the row's name"),
        text<L, &L::record, &R::dataset>("dataset", "data set", "as the experiment calls it"),
        text<L, &L::record, &R::learner>("learner", "learner", "who learned"),
        text<L, &L::record, &R::preset>("preset", "preset", "its preset; may be empty"),
        text<L, &L::settings>("settings", "settings", "as `key=value;key=value`"),
        {"seed", "seed", "decides the class order and every random choice", Unit::seed},
        number<L, Unit::count, &R::classes>("classes", "classes", "of the data set"),
        number<L, Unit::count, &R::protocol, &Protocol::base_classes>("base_classes", "base classes",
                                                                      "of the base session"),
        number<L, Unit::count, &R::protocol, &Protocol::sleep_every>("sleep_every", "sleep every",
                                                                     "sessions between two sleeps; 0: never"),
        number<L, Unit::count, &R::protocol, &Protocol::evaluate_every>("evaluate_every", "evaluated every",
                                                                        "sessions between two tests"),
        score<L, &R::omega, &O::omega_base>("omega_base", "\u03a9 base",
                                            "the score against the offline MLP on the whole test set"),
        score<L, &R::omega, &O::omega_new>("omega_new", "\u03a9 new", "mean accuracy on the newest class"),
        score<L, &R::omega, &O::omega_all>("omega_all", "\u03a9 all", "the score on all classes so far"),
        score<L, &R::omega_restricted, &O::omega_base>(
            "omega_base_restricted", "\u03a9 base, restricted",
            "against the offline MLP that answers only with the classes taught so far"),
        score<L, &R::omega_restricted, &O::omega_new>("omega_new_restricted", "\u03a9 new, restricted",
                                                      "the same as `omega_new`"),
        score<L, &R::omega_restricted, &O::omega_all>("omega_all_restricted", "\u03a9 all, restricted",
                                                      "as `omega_base_restricted`, on all classes so far"),
        score<L, &R::omega_oracle, &O::omega_base>(
            "oracle_base", "\u03a9 base, oracle",
            "with a perfect router; empty for learners without a router"),
        score<L, &R::omega_oracle, &O::omega_new>("oracle_new", "\u03a9 new, oracle",
                                                  "the same for `omega_new`"),
        score<L, &R::omega_oracle, &O::omega_all>("oracle_all", "\u03a9 all, oracle",
                                                  "the same for `omega_all`"),
        number<L, Unit::accuracy, &R::offline_accuracy>(
            "offline_accuracy", "offline MLP", "mean-class accuracy of the offline MLP on all classes"),
        number<L, Unit::accuracy, &R::final_accuracy>(
            "final_accuracy", "final accuracy", "mean-class accuracy on all classes after the last session"),
        {"memory_bytes", "memory", "what the learner keeps in the end: the sum of the next four", Unit::bytes,
         nullptr, [](const R& r) { return std::optional(total_memory(r)); },
         [](R& r, double bytes) {
             r.memory = {{kOther, static_cast<std::size_t>(bytes)}};
         }},
        memory<0>("memory_networks", "networks", "weights"),
        memory<1>("memory_statistics", "statistics", "means, covariances and the like"),
        memory<2>("memory_examples", "examples", "stored rows"),
        {"memory_other", "other memory", "anything else", Unit::bytes, nullptr,
         [](const R& r) { return std::optional(other_memory(r)); },
         [](R& r, double bytes) {
             if (bytes != other_memory(r)) throw Error("memory_bytes is not the sum of its kinds");
         }},
        {"memory_bytes_1000", "memory at 1,000 classes",
         "not in the file: `memory_bytes`, carried on per class", Unit::bytes, nullptr,
         [](const R& r) { return extrapolated_memory(r.sessions, kManyClasses); }},
    };
    return kColumns;
}

const std::vector<Column<ResultSession>>& result_session_columns() {
    using S = ResultSession;
    static const std::vector<Column<S>> kColumns =
        measured_in_a_session({text<S, &S::experiment>("experiment", "experiment", "the run's"),
                               text<S, &S::row>("row", "row", "the run's"),
                               text<S, &S::dataset>("dataset", "data set", "the run's"),
                               {"seed", "seed", "the run's", Unit::seed}});
    return kColumns;
}

const std::vector<Column<ResultSession>>& run_session_columns() {
    using S = ResultSession;
    static const std::vector<Column<S>> kColumns = [] {
        auto columns = measured_in_a_session(
            {text<S, &S::dataset>("dataset", "data set", "the built-in name or the file"),
             text<S, &S::learner>("learner", "learner", "as given to `--learner`"),
             text<S, &S::preset>("preset", "preset", "as given to `--preset`; may be empty"),
             {"seed", "seed", "decides the class order and every random choice", Unit::seed}});
        columns.push_back(number<S, Unit::score, &SessionRecord::seconds>(
            "seconds", "seconds", "learning and sleeping, without tests"));
        return columns;
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
    throw Error("column '" + std::string(name) + "': not a number of the results; there are " + known);
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
