#include <fmt/format.h>

#include "fearnet/lab/report.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/page/summary.hpp"
#include "lab/report/table.hpp"

namespace fearnet::lab {
namespace {

// The columns the paper has numbers for, in the order of the results; if it has none, open-world answers or
// the Omega scores.
std::vector<std::string> compared(const std::vector<page::Line>& lines) {
    std::vector<std::string> columns;
    for (const auto& column : run_columns())
        for (const page::Line& line : lines)
            if (line.paper.contains(column.name)) {
                columns.emplace_back(column.name);
                break;
            }
    if (columns.empty() && page::has_open_world(lines))
        columns = {"omega_all",       "auroc_familiarity", "fpr95_familiarity", "coverage_95",
                   "coverage_set_90", "set_size",          "calibration_error"};
    if (columns.empty()) columns = {"omega_base", "omega_new", "omega_all"};
    return columns;
}

// "0.931  paper 0.924 +0.007"
std::string cell(const page::Line& line, const std::string& column) {
    const auto ours = line.mean(column), paper = page::number(line.paper, column);
    if (!ours) return "-";
    std::string text = number_text(*ours, column);
    if (!paper) return text;
    return text + "  paper " + number_text(*paper, column) + " " + difference_text(*ours, *paper, column);
}

}  // namespace

std::string comparison_table(const ExperimentResults& results) {
    const std::vector<page::Line> lines = page::summarize(results);
    const std::vector<std::string> columns = compared(lines);
    TableRow head{{"data set"}, {"row"}, {"seeds"}};
    for (const std::string& column : columns) head.push_back({column});
    std::vector<TableRow> rows;
    for (const page::Line& line : lines) {
        if (line.seeds.empty()) continue;
        rows.push_back({{line.dataset}, {line.row}, {std::to_string(line.seeds.size())}});
        for (const std::string& column : columns) rows.back().push_back({cell(line, column)});
    }
    return terminal_table({"", "", {head}, {rows}}, Align::left);
}

}  // namespace fearnet::lab
