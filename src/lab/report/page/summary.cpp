#include "lab/report/page/summary.hpp"

#include <algorithm>

#include "lab/report/number_text.hpp"
#include "lab/report/scores.hpp"

namespace fearnet::lab::page {
namespace {

// Every name that a run, a number of the paper or a missing run has, in this order.
template <class OfRun, class OfOther>
std::vector<std::string> names_in_order(const ExperimentResults& e, const OfRun& of_run, const OfOther& of) {
    std::vector<std::string> names;
    for (const ResultRun& r : e.runs) add_new(names, of_run(r));
    for (const PaperNumbers& p : e.paper) add_new(names, of(p));
    for (const MissingRun& m : e.missing) add_new(names, of(m));
    return names;
}

Spread spread_of(const std::vector<double>& values) {
    const Statistics s = statistics(values);
    return {values.size(), *s.mean, s.deviation, *std::min_element(values.begin(), values.end()),
            *std::max_element(values.begin(), values.end())};
}

Line line_of(const ExperimentResults& e, const std::string& dataset, const std::string& row) {
    Line line{dataset, row, "", {}, {}, {}, ""};
    std::map<std::string, std::vector<double>, std::less<>> values;
    for (const ResultRun& run : e.runs) {
        if (run.record.dataset != dataset || run.row != row) continue;
        line.learner = run.record.learner;
        line.seeds.push_back(run.record.seed);
        for (const auto& column : run_columns())
            if (column.get != nullptr)
                if (const auto value = column.get(run.record)) values[column.name].push_back(*value);
    }
    for (const auto& [column, of_runs] : values) line.ours[column] = spread_of(of_runs);
    for (const PaperNumbers& p : e.paper)
        if (p.dataset == dataset && p.row == row) {
            line.paper.insert(p.numbers.begin(), p.numbers.end());
            line.note = p.note;
        }
    return line;
}

bool is_missing(const ExperimentResults& e, const Line& line) {
    return std::any_of(e.missing.begin(), e.missing.end(),
                       [&](const MissingRun& m) { return m.dataset == line.dataset && m.row == line.row; });
}

}  // namespace

void add_new(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::optional<double> number(const Numbers& numbers, std::string_view column) {
    const auto found = numbers.find(column);
    if (found == numbers.end()) return std::nullopt;
    return found->second;
}

const Spread* Line::find(std::string_view column) const {
    const auto found = ours.find(column);
    return found == ours.end() ? nullptr : &found->second;
}

std::optional<double> Line::mean(std::string_view column) const {
    const Spread* spread = find(column);
    if (!spread) return std::nullopt;
    return spread->mean;
}

std::vector<Line> summarize(const ExperimentResults& e) {
    const auto datasets = names_in_order(
        e, [](const ResultRun& r) { return r.record.dataset; }, [](const auto& x) { return x.dataset; });
    const auto rows = names_in_order(
        e, [](const ResultRun& r) { return r.row; }, [](const auto& x) { return x.row; });
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

const Line* best_line(const std::vector<Line>& lines, const std::string& dataset, std::string_view column) {
    const Line* best = nullptr;
    std::size_t candidates = 0;
    for (const Line& line : lines) {
        const auto mean = line.mean(column);
        if (line.dataset != dataset || !mean) continue;
        ++candidates;
        if (!best || is_better(*mean, *best->mean(column), column)) best = &line;
    }
    return candidates < 2 ? nullptr : best;
}

bool has_open_world(const std::vector<Line>& lines) {
    return std::any_of(lines.begin(), lines.end(),
                       [](const Line& line) { return line.find("calibration_error") != nullptr; });
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
