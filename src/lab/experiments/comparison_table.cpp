#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fearnet/lab/results.hpp"

namespace fearnet::lab {
namespace {

using Line = std::vector<std::string>;

std::vector<std::string> columns_of(const Experiment& experiment) {
    constexpr const char* kOrder[] = {"omega_base", "omega_new",  "omega_all",    "oracle_base",
                                      "oracle_new", "oracle_all", "memory_bytes", "memory_bytes_1000"};
    std::set<std::string> said;
    for (const PaperNumbers& p : experiment.paper)
        for (const auto& number : p.numbers) said.insert(number.first);
    std::vector<std::string> columns;
    for (const char* column : kOrder)
        if (said.count(column) != 0) columns.push_back(column);
    if (columns.empty()) columns = {"omega_base", "omega_new", "omega_all"};
    return columns;
}

bool in_bytes(const std::string& column) {
    return column.starts_with("memory");
}

std::string shown(const std::string& column, double value) {
    return in_bytes(column) ? fmt::format("{:.1f} MB", value / 1e6) : fmt::format("{:.3f}", value);
}

// "0.931  paper 0.924 +0.007"
std::string cell(const std::string& column, double sum, std::size_t n, const PaperNumbers* paper) {
    if (n == 0) return "-";
    const double ours = sum / static_cast<double>(n);
    std::string text = shown(column, ours);
    if (paper == nullptr || paper->numbers.count(column) == 0) return text;
    const double theirs = paper->numbers.at(column);
    text += "  paper " + shown(column, theirs);
    return in_bytes(column) ? text : text + fmt::format(" {:+.3f}", ours - theirs);
}

const PaperNumbers* paper_of(const Experiment& experiment, const std::string& row,
                             const std::string& dataset) {
    for (const PaperNumbers& p : experiment.paper)
        if (p.row == row && p.dataset == dataset) return &p;
    return nullptr;
}

std::string aligned(const std::vector<Line>& lines) {
    std::vector<std::size_t> width;
    for (const Line& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (width.size() <= i) width.push_back(0);
            width[i] = std::max(width[i], line[i].size());
        }
    std::string text;
    for (const Line& line : lines) {
        std::string row;
        for (std::size_t i = 0; i < line.size(); ++i) row += fmt::format("{:<{}}   ", line[i], width[i]);
        text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

}  // namespace

std::string comparison_table(const Experiment& experiment, const ExperimentResults& results) {
    const std::vector<std::string> columns = columns_of(experiment);
    std::vector<Line> lines{{"data set", "row", "seeds"}};
    lines[0].insert(lines[0].end(), columns.begin(), columns.end());
    for (std::size_t first = 0; first < results.runs.size();) {
        const ResultRow& row = results.runs[first].row;
        std::size_t end = first;
        while (end < results.runs.size() && results.runs[end].row.row == row.row &&
               results.runs[end].row.dataset == row.dataset)
            ++end;
        Line line{row.dataset, row.row, std::to_string(end - first)};
        for (const std::string& column : columns) {
            double sum = 0;
            std::size_t n = 0;
            for (std::size_t i = first; i < end; ++i)
                if (const auto value = number_of(results.runs[i], column)) sum += *value, ++n;
            line.push_back(cell(column, sum, n, paper_of(experiment, row.row, row.dataset)));
        }
        lines.push_back(std::move(line));
        first = end;
    }
    return aligned(lines);
}

}  // namespace fearnet::lab
