#include <fmt/format.h>

#include <algorithm>

#include "fearnet/lab/report.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/scores.hpp"
#include "lab/report/table.hpp"
#include "lab/results/open_world_names.hpp"

namespace fearnet::lab {
namespace {

// The mean over the runs as text; "-" if no run has the number.
std::string mean_text(const std::vector<RunRecord>& runs, const std::string& column) {
    const auto mean = statistics(runs, column_named(column)).mean;
    return mean ? number_text(*mean, column) : "-";
}

bool has(const std::vector<RunRecord>& runs, const std::string& column) {
    return statistics(runs, column_named(column)).mean.has_value();
}

// "familiarity of at least 5 %: 94.8 % of known rows, nominal 95 %, largest deviation 1.2 points"
std::string coverage_line(const std::vector<RunRecord>& runs, const char* what, const std::string& column,
                          const char* nominal, const std::string& deviation) {
    const auto largest = statistics(runs, column_named(deviation)).mean;
    if (!largest) return "";
    return fmt::format("{}: {} of known rows (nominal {}, largest deviation {:.1f} points)\n", what,
                       mean_text(runs, column), nominal, 100 * *largest);
}

}  // namespace

std::string open_world_table(const std::vector<RunRecord>& all) {
    std::vector<RunRecord> runs;
    for (const RunRecord& run : all)
        if (run.open_world) runs.push_back(run);
    for (RunRecord& run : runs) run.finished = true;  // a stopped run has the means of its sessions
    if (runs.empty()) return "";
    TableRow head{{"score"}};
    std::vector<DetectionMeasure> measures;
    for (const DetectionMeasure& m : kDetectionMeasures)
        if (has(runs, m.prefix + std::string(kDetectorNames[1].name))) measures.push_back(m);
    for (const DetectionMeasure& m : measures) head.push_back({m.title});
    std::vector<TableRow> rows;
    for (const DetectorName& detector : kDetectorNames) {
        TableRow row{{detector.title}};
        bool any = false;
        for (const DetectionMeasure& m : measures) {
            row.push_back({mean_text(runs, m.prefix + std::string(detector.name))});
            any = any || row.back().text != "-";
        }
        if (any) rows.push_back(std::move(row));
    }
    std::string text =
        "Detection of rows of unknown classes, and of far rows; means over the evaluated sessions:\n";
    text += terminal_table({"", "", {head}, {rows}}, Align::right);
    text += coverage_line(runs, "familiarity of at least 5 %", "coverage_95", "95 %", "deviation_95");
    text += coverage_line(runs, "familiarity of at least 1 %", "coverage_99", "99 %", "deviation_99");
    text += coverage_line(runs, "class in the 90 % set", "coverage_set_90", "90 %", "deviation_set_90");
    if (has(runs, "set_size"))
        text += fmt::format("90 % sets: {} classes on average, {} of them empty\n",
                            mean_text(runs, "set_size"), mean_text(runs, "set_empty"));
    text += fmt::format("expected calibration error: {}\n", mean_text(runs, "calibration_error"));
    return text;
}

}  // namespace fearnet::lab
