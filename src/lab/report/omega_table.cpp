#include <fmt/format.h>

#include <algorithm>

#include "fearnet/lab/report.hpp"
#include "lab/report/scores.hpp"
#include "lab/report/table.hpp"

namespace fearnet::lab {
namespace {

// Columns under a common title, with what tells them apart there.
struct Group {
    const char* title;
    std::vector<std::pair<const char*, const char*>> columns;
};

const std::vector<Group> kGroups{
    {"Omega", {{"omega_base", "base"}, {"omega_new", "new"}, {"omega_all", "all"}}},
    {"perfect router", {{"oracle_base", "base"}, {"oracle_new", "new"}, {"oracle_all", "all"}}},
    {"restricted", {{"omega_base_restricted", "base"}, {"omega_all_restricted", "all"}}},
    {"accuracy", {{"offline_accuracy", "offline"}, {"final_accuracy", "final"}}},
};

// The columns that at least one run can fill.
std::vector<Group> shown_groups(const std::vector<RunRecord>& runs) {
    std::vector<Group> shown;
    for (const Group& group : kGroups) {
        const auto& score = column_named(group.columns.front().first);
        if (std::any_of(runs.begin(), runs.end(),
                        [&](const RunRecord& run) { return score.get(run).has_value(); }))
            shown.push_back(group);
    }
    return shown;
}

std::string number(const std::optional<double>& value) {
    return value ? fmt::format("{:.3f}", *value) : "-";
}

std::string headline(const RunRecord& run) {
    const std::size_t sessions = run.sessions.empty() ? 0 : run.sessions.size() - 1;
    return fmt::format(
        "{} on {}: {} base classes, then {} sessions of one class, {}\n", run.learner, run.dataset,
        run.protocol.base_classes, sessions,
        run.protocol.sleep_every > 0 ? fmt::format("sleep every {}", run.protocol.sleep_every) : "no sleep");
}

// A row of `number` of every column.
template <class Number>
TableRow row_of(const std::string& name, const std::vector<Group>& groups, const Number& number_of) {
    TableRow row{{name}};
    for (const Group& group : groups)
        for (const auto& column : group.columns)
            row.push_back({number(number_of(column_named(column.first)))});
    return row;
}

Table table_of(const std::vector<RunRecord>& runs, const std::vector<Group>& groups) {
    Table table{"", "", {{{""}}, {{"seed"}}}, {{}}};
    for (const Group& group : groups) {
        table.head[0].push_back({group.title, "", "", group.columns.size()});
        for (const auto& column : group.columns) table.head[1].push_back({column.second});
    }
    std::vector<TableRow>& rows = table.groups[0];
    for (const RunRecord& run : runs)
        rows.push_back(row_of(std::to_string(run.seed) + (run.finished ? "" : "*"), groups,
                              [&](const auto& column) { return column.get(run); }));
    if (std::count_if(runs.begin(), runs.end(), [](const RunRecord& run) { return run.finished; }) < 2)
        return table;
    rows.push_back(row_of("mean", groups, [&](const auto& column) { return statistics(runs, column).mean; }));
    rows.push_back(
        row_of("+-", groups, [&](const auto& column) { return statistics(runs, column).deviation; }));
    return table;
}

constexpr const char* kLegend =
    "Omega: base and all against the offline MLP on all classes (the paper's); restricted: against the\n"
    "same MLP answering only with the classes seen so far. new is the plain accuracy of the newest class.\n";

}  // namespace

std::string omega_table(const std::vector<RunRecord>& runs) {
    if (runs.empty()) return "no runs\n";
    const auto longest = std::max_element(
        runs.begin(), runs.end(),
        [](const RunRecord& a, const RunRecord& b) { return a.sessions.size() < b.sessions.size(); });
    std::string out = headline(*longest) + "\n";
    const std::vector<Group> groups = shown_groups(runs);
    if (groups.empty()) return out + "no session finished\n";
    out += terminal_table(table_of(runs, groups), Align::right);
    for (const RunRecord& run : runs)
        if (!run.finished)
            out += fmt::format("* seed {} was stopped: {} sessions finished, its scores are over those\n",
                               run.seed, run.sessions.empty() ? 0 : run.sessions.size() - 1);
    return out + "\n" + kLegend;
}

}  // namespace fearnet::lab
