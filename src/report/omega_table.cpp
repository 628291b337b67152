#include <fmt/format.h>

#include <algorithm>

#include "fearnet/report/report.hpp"
#include "report/scores.hpp"

namespace fearnet {
namespace {

struct Column {
    const char* score;
    const char* title;
};
struct Group {
    const char* title;
    std::vector<Column> columns;
};

const std::vector<Group> kGroups{
    {"", {{"omega_base", "Omega_base"}, {"omega_new", "Omega_new"}, {"omega_all", "Omega_all"}}},
    {"oracle router",
     {{"oracle_omega_base", "base"}, {"oracle_omega_new", "new"}, {"oracle_omega_all", "all"}}},
    {"vs offline on seen", {{"omega_restricted_base", "base"}, {"omega_restricted_all", "all"}}},
    {"accuracy", {{"offline_accuracy", "offline"}, {"final_accuracy", "final"}}},
};

const Score& score_named(const std::string& name) {
    const auto& scores = all_scores();
    return *std::find_if(scores.begin(), scores.end(), [&](const Score& s) { return name == s.name; });
}

constexpr std::size_t kNumberWidth = 7;
std::size_t width_of(const Column& column) {
    return std::max(kNumberWidth, std::string(column.title).size());
}
std::size_t width_of(const Group& group) {
    std::size_t width = 2 * (group.columns.size() - 1);
    for (const Column& column : group.columns) width += width_of(column);
    return width;
}

// The columns that at least one run can fill.
std::vector<Group> shown_groups(const std::vector<RunRecord>& runs) {
    std::vector<Group> shown;
    for (const Group& group : kGroups) {
        const Score& score = score_named(group.columns.front().score);
        if (std::any_of(runs.begin(), runs.end(),
                        [&](const RunRecord& run) { return score.of(run).has_value(); }))
            shown.push_back(group);
    }
    return shown;
}

template <class Cell>
std::string row(const std::string& head, const std::vector<Group>& groups, const Cell& cell) {
    std::string line = fmt::format("{:>8}", head);
    for (const Group& group : groups) {
        line += " ";
        for (const Column& column : group.columns)
            line += fmt::format("  {:>{}}", cell(column), width_of(column));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string number(const std::optional<double>& value) {
    return value ? fmt::format("{:.3f}", *value) : "-";
}

std::string headline(const RunRecord& run) {
    const std::size_t sessions = run.sessions.empty() ? 0 : run.sessions.size() - 1;
    return fmt::format("{} on {}: {} base classes, then {} sessions of one class, {}\n", run.learner,
                       run.dataset, run.base_classes, sessions,
                       run.sleep_every > 0 ? fmt::format("sleep every {}", run.sleep_every) : "no sleep");
}

}  // namespace

std::string omega_table(const std::vector<RunRecord>& runs) {
    if (runs.empty()) return "no runs\n";
    const auto longest = std::max_element(
        runs.begin(), runs.end(),
        [](const RunRecord& a, const RunRecord& b) { return a.sessions.size() < b.sessions.size(); });
    std::string out = headline(*longest) + "\n";
    const std::vector<Group> groups = shown_groups(runs);
    if (groups.empty()) return out + "no session finished\n";

    std::string titles(8, ' ');
    for (const Group& group : groups) {
        const std::string title = group.title;
        const std::size_t rule =
            title.empty() ? 0 : width_of(group) - std::min(width_of(group), title.size() + 1);
        titles += fmt::format("   {:<{}}", title.empty() ? "" : title + " " + std::string(rule, '-'),
                              width_of(group));
    }
    titles.erase(titles.find_last_not_of(' ') + 1);
    if (!titles.empty()) out += titles + "\n";
    out += row("seed", groups, [](const Column& c) { return std::string(c.title); });

    std::size_t finished = 0;
    for (const RunRecord& run : runs) {
        if (run.finished) ++finished;
        out += row(std::to_string(run.seed) + (run.finished ? "" : "*"), groups,
                   [&](const Column& c) { return number(score_named(c.score).of(run)); });
    }
    if (finished > 1) {
        out += row("mean", groups,
                   [&](const Column& c) { return number(statistics(runs, score_named(c.score)).mean); });
        out += row("+-", groups,
                   [&](const Column& c) { return number(statistics(runs, score_named(c.score)).deviation); });
    }
    for (const RunRecord& run : runs)
        if (!run.finished)
            out += fmt::format(
                "* seed {} was stopped after session {}: its scores are over what was finished\n", run.seed,
                run.sessions.empty() ? std::string("none") : std::to_string(run.sessions.size() - 1));
    return out;
}

}  // namespace fearnet
