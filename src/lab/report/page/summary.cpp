#include "lab/report/page/summary.hpp"

#include <algorithm>

#include "lab/report/scores.hpp"

namespace fearnet::lab::page {
namespace {

void add_new(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// Every name that one of the four sources has, in their order.
template <class OfRun>
std::vector<std::string> names_in_order(std::vector<std::string> names, const Experiment& e,
                                        const OfRun& of) {
    for (const Run& r : e.runs) add_new(names, of(r));
    for (const PaperNumbers& p : e.paper) add_new(names, of(p));
    for (const MissingRun& m : e.missing) add_new(names, of(m));
    return names;
}

Spread spread_of(const std::vector<double>& values) {
    const Statistics s = statistics(values);
    return {values.size(), *s.mean, s.deviation, *std::min_element(values.begin(), values.end()),
            *std::max_element(values.begin(), values.end())};
}

// Bytes at kManyClasses: the line through the memory after the base session and after the last session that
// keeps as little (the last sleep, or the last session of a learner that never sleeps), carried on.
std::optional<double> extrapolated_memory(const Experiment& e, const Run& run) {
    const Session *first = nullptr, *last = nullptr, *slept = nullptr;
    for (const Session& s : e.sessions) {
        if (s.row != run.row || s.dataset != run.dataset || s.seed != run.seed) continue;
        if (!first || s.session < first->session) first = &s;
        if (!last || s.session > last->session) last = &s;
        if (s.slept && (!slept || s.session > slept->session)) slept = &s;
    }
    if (slept) last = slept;
    if (!first) return std::nullopt;
    const auto of = [](const Session* s, const char* column) { return *number(s->numbers, column); };
    const double classes = of(last, "classes_seen") - of(first, "classes_seen");
    if (classes <= 0) return std::nullopt;
    const double each = (of(last, "memory_bytes") - of(first, "memory_bytes")) / classes;
    return of(last, "memory_bytes") + each * (kManyClasses - of(last, "classes_seen"));
}

Line line_of(const Experiment& e, const std::string& dataset, const std::string& row) {
    Line line{dataset, row, "", {}, {}, {}, ""};
    std::map<std::string, std::vector<double>, std::less<>> values;
    for (const Run& run : e.runs) {
        if (run.dataset != dataset || run.row != row) continue;
        line.learner = run.learner;
        line.seeds.push_back(run.seed);
        for (const auto& [column, value] : run.numbers) values[column].push_back(value);
    }
    for (const Run& run : e.runs)
        if (run.dataset == dataset && run.row == row)
            if (const auto bytes = extrapolated_memory(e, run)) values[kManyMemory].push_back(*bytes);
    for (const auto& [column, of_runs] : values) line.ours[column] = spread_of(of_runs);
    for (const PaperNumbers& p : e.paper)
        if (p.dataset == dataset && p.row == row) {
            line.paper.insert(p.numbers.begin(), p.numbers.end());
            line.note = p.note;
        }
    if (line.learner.empty())
        for (const RowOptions& r : e.rows)
            if (r.row == row) line.learner = r.learner;
    return line;
}

bool is_missing(const Experiment& e, const Line& line) {
    return std::any_of(e.missing.begin(), e.missing.end(),
                       [&](const MissingRun& m) { return m.dataset == line.dataset && m.row == line.row; });
}

}  // namespace

const Spread* Line::find(std::string_view column) const {
    const auto found = ours.find(column);
    return found == ours.end() ? nullptr : &found->second;
}

std::optional<double> Line::mean(std::string_view column) const {
    const Spread* spread = find(column);
    if (!spread) return std::nullopt;
    return spread->mean;
}

std::vector<Line> summarize(const Experiment& e) {
    std::vector<std::string> configured;
    for (const RowOptions& r : e.rows) add_new(configured, r.row);
    const auto datasets = names_in_order(e.datasets, e, [](const auto& x) { return x.dataset; });
    const auto rows = names_in_order(configured, e, [](const auto& x) { return x.row; });
    std::vector<Line> lines;
    for (const std::string& dataset : datasets)
        for (const std::string& row : rows) {
            Line line = line_of(e, dataset, row);
            if (!line.seeds.empty() || !line.paper.empty() || is_missing(e, line))
                lines.push_back(std::move(line));
        }
    return lines;
}

std::vector<std::string> datasets_of(const std::vector<Line>& lines) {
    std::vector<std::string> names;
    for (const Line& line : lines) add_new(names, line.dataset);
    return names;
}

bool less_is_better(std::string_view column) {
    return column.starts_with("memory");
}

const Line* best_line(const std::vector<Line>& lines, const std::string& dataset, std::string_view column) {
    const Line* best = nullptr;
    std::size_t candidates = 0;
    for (const Line& line : lines) {
        const auto mean = line.mean(column);
        if (line.dataset != dataset || !mean) continue;
        ++candidates;
        const bool better =
            !best || (less_is_better(column) ? *mean < *best->mean(column) : *mean > *best->mean(column));
        if (better) best = &line;
    }
    return candidates < 2 ? nullptr : best;
}

std::optional<double> mean_over_datasets(const std::vector<Line>& lines, const std::string& row,
                                         std::string_view column, bool of_paper) {
    double sum = 0;
    std::size_t found = 0;
    for (const Line& line : lines) {
        if (line.row != row) continue;
        const auto value = of_paper ? number(line.paper, column) : line.mean(column);
        if (!value) continue;
        sum += *value;
        ++found;
    }
    if (found == 0 || found < datasets_of(lines).size()) return std::nullopt;
    return sum / static_cast<double>(found);
}

}  // namespace fearnet::lab::page
