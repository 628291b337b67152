#include <fmt/format.h>

#include <algorithm>

#include "fearnet/lab/report.hpp"
#include "lab/report/scores.hpp"

namespace fearnet::lab {
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
    {"Omega", {{"omega_base", "base"}, {"omega_new", "new"}, {"omega_all", "all"}}},
    {"perfect router",
     {{"oracle_omega_base", "base"}, {"oracle_omega_new", "new"}, {"oracle_omega_all", "all"}}},
    {"restricted", {{"omega_restricted_base", "base"}, {"omega_restricted_all", "all"}}},
    {"accuracy", {{"offline_accuracy", "offline"}, {"final_accuracy", "final"}}},
};

const Score& score_named(const std::string& name) {
    const auto& scores = all_scores();
    return *std::find_if(scores.begin(), scores.end(), [&](const Score& s) { return name == s.name; });
}

constexpr std::size_t kNumberWidth = 5;
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

std::string number(const std::optional<double>& value) {
    return value ? fmt::format("{:.3f}", *value) : "-";
}

std::string headline(const RunRecord& run) {
    const std::size_t sessions = run.sessions.empty() ? 0 : run.sessions.size() - 1;
    return fmt::format("{} on {}: {} base classes, then {} sessions of one class, {}\n", run.learner,
                       run.dataset, run.base_classes, sessions,
                       run.sleep_every > 0 ? fmt::format("sleep every {}", run.sleep_every) : "no sleep");
}

class Table {
  public:
    explicit Table(const std::vector<RunRecord>& runs) : runs_(runs), groups_(shown_groups(runs)) {
        for (const RunRecord& run : runs) head_ = std::max(head_, name_of(run).size());
    }
    bool empty() const { return groups_.empty(); }

    std::string text() const {
        std::string out = group_titles() + row("seed", [](const Column& c) { return std::string(c.title); });
        std::size_t finished = 0;
        for (const RunRecord& run : runs_) {
            if (run.finished) ++finished;
            out += row(name_of(run), [&](const Column& c) { return number(score_named(c.score).of(run)); });
        }
        if (finished < 2) return out;
        out += row("mean",
                   [&](const Column& c) { return number(statistics(runs_, score_named(c.score)).mean); });
        return out + row("+-", [&](const Column& c) {
                   return number(statistics(runs_, score_named(c.score)).deviation);
               });
    }

  private:
    static std::string name_of(const RunRecord& run) {
        return std::to_string(run.seed) + (run.finished ? "" : "*");
    }

    std::string group_titles() const {
        std::string line(head_, ' ');
        for (const Group& group : groups_) {
            const std::string title = std::string(group.title) + " ";
            line +=
                "   " + title + std::string(width_of(group) - std::min(width_of(group), title.size()), '-');
        }
        return line + "\n";
    }
    template <class Cell>
    std::string row(const std::string& head, const Cell& cell) const {
        std::string line = fmt::format("{:>{}}", head, head_);
        for (const Group& group : groups_) {
            line += " ";
            for (const Column& column : group.columns)
                line += fmt::format("  {:>{}}", cell(column), width_of(column));
        }
        return line + "\n";
    }

    const std::vector<RunRecord>& runs_;
    std::vector<Group> groups_;
    std::size_t head_ = 5;
};

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
    const Table table(runs);
    if (table.empty()) return out + "no session finished\n";
    out += table.text();
    for (const RunRecord& run : runs)
        if (!run.finished)
            out += fmt::format("* seed {} was stopped: {} sessions finished, its scores are over those\n",
                               run.seed, run.sessions.empty() ? 0 : run.sessions.size() - 1);
    return out + "\n" + kLegend;
}

}  // namespace fearnet::lab
