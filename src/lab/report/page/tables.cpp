#include "lab/report/page/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/report/number_text.hpp"
#include "lab/report/page/plots.hpp"
#include "lab/report/svg.hpp"
#include "lab/report/table.hpp"
#include "lab/results/open_world_names.hpp"

namespace fearnet::lab::page {
namespace {

constexpr const char* kOmegas[] = {"omega_base", "omega_new", "omega_all"};
constexpr const char* kNothing = "<span class=\"none\" title=\"not measured\">\u2013</span>";

// A title with what stands behind the Omega made small, as HTML.
std::string heading(std::string_view column) {
    const std::string title = column_title(column);
    const std::string omega = "\u03a9 ";
    if (!title.starts_with(omega)) return xml_text(title);
    return "\u03a9 <span class=\"sub\">" + xml_text(title.substr(omega.size())) + "</span>";
}

// The kinds of memory are not ranked.
bool is_compared(std::string_view column) {
    if (column_named(column).better == Better::neither) return false;
    return !is_setting(column) && (!is_bytes(column) || column == "memory_bytes" || column == kMemoryAt1000);
}

bool has_values(const ExperimentResults& e, const Column<ResultRun>& column) {
    return std::any_of(e.runs.begin(), e.runs.end(),
                       [&](const ResultRun& run) { return column.get(run.record).has_value(); });
}

enum class Detail { full, brief };  // brief: without deviation, and without the word "paper"

std::string ours_html(const Spread& spread, std::string_view column, bool best, Detail detail) {
    std::string text = xml_text(number_text(spread.mean, column));
    if (best) text = "<strong>" + text + "</strong>";
    // No "+- 0" for settings and for sizes that are equal for every seed.
    const bool same =
        is_setting(column) || (is_bytes(column) && spread.deviation.value_or(0) <= 0.0005 * spread.mean);
    if (detail == Detail::full && spread.deviation && !same)
        text += " <small>\u00b1 " + number_text(*spread.deviation, column) + "</small>";
    return "<span class=\"ours\">" + text + "</span>";
}

std::string paper_html(std::optional<double> ours, double paper, std::string_view column, Detail detail) {
    std::string text = number_text(paper, column);
    if (ours) text += " <span class=\"diff\">" + difference_text(*ours, paper, column) + "</span>";
    return std::string("<span class=\"paper\">") + (detail == Detail::full ? "paper " : "") + text +
           "</span>";
}

Cell cell(const Line& line, const std::string& column, bool best, Detail detail) {
    const Spread* spread = line.find(column);
    const auto paper = number(line.paper, column);
    std::string text = spread ? ours_html(*spread, column, best, detail) : kNothing;
    if (paper) text += paper_html(line.mean(column), *paper, column, detail);
    return {"", text,
            fmt::format("data-dataset=\"{}\" data-row=\"{}\" data-column=\"{}\"{}", xml_text(line.dataset),
                        xml_text(line.row), column, best ? " class=\"best\"" : "")};
}

// "200 classes, 100 of them base; offline MLP 68.1 %"
std::string dataset_note(const std::vector<Line>& lines, const std::string& dataset) {
    std::string note;
    for (const Line& line : lines) {
        if (line.dataset != dataset || line.seeds.empty()) continue;
        note = fmt::format("{:.0f} classes", *line.mean("classes"));
        if (const auto offline = line.mean("offline_accuracy"))
            note += "; offline MLP " + number_text(*offline, "offline_accuracy");
        break;
    }
    return note;
}

Cell heading_cell(std::string_view column) {
    return {"", heading(column)};
}

std::string scroll_box(const std::string& label, const Table& table) {
    return fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{}</div>\n",
                       xml_text(label), html_table(table));
}

std::string attributes(const char* look, const ExperimentResults& e) {
    return fmt::format("class=\"{}\" data-experiment=\"{}\"", look, xml_text(e.name));
}

std::vector<std::string> row_names(const std::vector<Line>& lines) {
    std::vector<std::string> rows;
    for (const Line& line : lines) add_new(rows, line.row);
    return rows;
}

Cell mean_cell(const std::vector<Line>& lines, const std::string& row, const std::string& column,
               std::optional<double> best) {
    const auto ours = mean_over_datasets(lines, row, column, false);
    const auto paper = mean_over_datasets(lines, row, column, true);
    const bool marked = ours && best == ours;
    std::string text =
        ours ? ours_html({1, *ours, {}, *ours, *ours}, column, marked, Detail::brief) : kNothing;
    if (paper) text += paper_html(ours, *paper, column, Detail::brief);
    return {"", text,
            fmt::format("data-row=\"{}\" data-mean-of=\"{}\"{}", xml_text(row), column,
                        marked ? " class=\"best\"" : "")};
}

std::optional<double> best_mean(const std::vector<Line>& lines, const std::string& column) {
    std::optional<double> best;
    std::size_t candidates = 0;
    for (const std::string& row : row_names(lines))
        if (const auto mean = mean_over_datasets(lines, row, column, false)) {
            best = std::max(best.value_or(*mean), *mean);
            ++candidates;
        }
    return candidates < 2 ? std::nullopt : best;
}

// The answers of the learners; those that no learner gives are left out.
std::vector<std::string> open_world_columns_of(const std::vector<Line>& lines) {
    std::vector<std::string> columns{"omega_all",         "auroc_familiarity", "fpr95_familiarity",
                                     "calibration_error", "coverage_95",       "deviation_95",
                                     "coverage_99",       "deviation_99",      "coverage_set_90",
                                     "deviation_set_90",  "set_size",          "set_empty"};
    std::erase_if(columns, [&](const std::string& column) {
        return std::none_of(lines.begin(), lines.end(), [&](const Line& l) { return l.find(column); });
    });
    return columns;
}

// A line of the table of detectors.
struct DetectorLine {
    std::string title;
    const char* detector;
    const Line* line;
};

// Scores of the learner for every row, the others for the row with the most seeds.
std::vector<DetectorLine> detector_lines(const std::vector<Line>& lines, const std::string& dataset) {
    std::vector<DetectorLine> result;
    for (const DetectorName& detector : kDetectorNames) {
        const std::string column = std::string("auroc_noise_") + detector.name;  // exists in every session
        const Line* most = nullptr;
        for (const Line& line : lines) {
            if (line.dataset != dataset || !line.find(column)) continue;
            if (detector.of_learner)
                result.push_back({std::string(detector.title) + ", " + line.row, detector.name, &line});
            else if (most == nullptr || line.seeds.size() > most->seeds.size())
                most = &line;
        }
        if (most != nullptr) result.push_back({detector.title, detector.name, most});
    }
    return result;
}

// The best number of a column of the table of detectors; none if fewer than two have one.
std::optional<double> best_of(const std::vector<DetectorLine>& lines, const DetectionMeasure& measure) {
    std::optional<double> best;
    std::size_t candidates = 0;
    for (const DetectorLine& l : lines) {
        const std::string column = std::string(measure.prefix) + l.detector;
        const auto mean = l.line->mean(column);
        if (!mean) continue;
        ++candidates;
        if (!best || is_better(*mean, *best, column)) best = mean;
    }
    return candidates < 2 ? std::nullopt : best;
}

// The title of a data set, above its lines.
TableRow group_title(const std::string& dataset, const std::string& note, std::size_t columns) {
    return {{"", fmt::format("<span>{}</span> <small>{}</small>", xml_text(dataset_title(dataset)), note), "",
             columns}};
}

}  // namespace

std::vector<std::string> compared_columns(const ExperimentResults& e, const std::vector<Line>& lines) {
    std::vector<std::string> columns;
    if (has_open_world(lines)) return open_world_columns_of(lines);
    if (const std::string over = swept_column(lines); !over.empty()) columns.push_back(over);
    if (e.name == "memory")
        columns.insert(columns.end(), {"memory_bytes", kMemoryAt1000, "memory_networks", "memory_statistics",
                                       "memory_examples", "memory_other"});
    else
        columns.insert(columns.end(), std::begin(kOmegas), std::end(kOmegas));
    if (e.name == "oracle" || e.name == "routers")
        columns.insert(columns.end(), {"oracle_base", "oracle_new", "oracle_all"});
    if (e.name == "multimodal" ||
        e.name == "base-size")  // where scores depend much on the offline model of all classes
        columns.insert(columns.end(), {"omega_base_restricted", "omega_all_restricted"});
    if (e.name == "soa" || e.name == "multimodal") columns.emplace_back("final_accuracy");
    if (e.name == "covariance" || e.name == "exemplars" || e.name == "soa")
        columns.emplace_back("memory_bytes");
    for (const Line& line : lines)
        for (const auto& [column, value] : line.paper)
            if (!is_setting(column)) add_new(columns, column);
    return columns;
}

bool one_seed(const std::vector<Line>& lines) {
    return std::all_of(lines.begin(), lines.end(), [](const Line& line) { return line.seeds.size() <= 1; });
}

std::string seeds_text(const std::vector<Line>& lines) {
    std::size_t least = 0, most = 0;
    for (const Line& line : lines) {
        const std::size_t n = line.seeds.size();
        if (n == 0) continue;
        least = least == 0 ? n : std::min(least, n);
        most = std::max(most, n);
    }
    if (most == 0) return "no run";
    if (least == most) return fmt::format("{} seed{}", most, most == 1 ? "" : "s");
    return fmt::format("{} to {} seeds", least, most);
}

std::string comparison_table(const ExperimentResults& e, const std::vector<Line>& lines) {
    const std::vector<std::string> columns = compared_columns(e, lines);
    Table table{e.paper.empty() ? e.title : e.title + " \u2013 ours beside the paper's",
                attributes("compare", e),
                {{{"row"}}},
                {}};
    for (const std::string& column : columns) table.head[0].push_back(heading_cell(column));
    table.head[0].push_back({"seeds"});
    for (const std::string& dataset : datasets_of(lines)) {
        table.groups.push_back({group_title(dataset, dataset_note(lines, dataset), columns.size() + 2)});
        for (const Line& line : lines) {
            if (line.dataset != dataset) continue;
            TableRow row{{line.row}};
            for (const std::string& column : columns) {
                const Line* best = is_compared(column) ? best_line(lines, dataset, column) : nullptr;
                row.push_back(
                    cell(line, column, best && line.mean(column) == best->mean(column), Detail::full));
            }
            row.push_back({std::to_string(line.seeds.size()), "", "class=\"n\""});
            table.groups.back().push_back(std::move(row));
        }
    }
    return scroll_box(table.caption, table);
}

std::string detectors_table(const ExperimentResults& e, const std::vector<Line>& lines) {
    Table table{"Detection by every score; the last six do not depend on the learner",
                attributes("compare detectors", e),
                {{{"score"}}},
                {}};
    for (const DetectionMeasure& m : kDetectionMeasures) table.head[0].push_back({m.title});
    for (const std::string& dataset : datasets_of(lines)) {
        const std::vector<DetectorLine> here = detector_lines(lines, dataset);
        if (here.empty()) continue;
        table.groups.push_back({group_title(dataset, "", std::size(kDetectionMeasures) + 1)});
        for (const DetectorLine& l : here) {
            TableRow row{{l.title}};
            for (const DetectionMeasure& m : kDetectionMeasures) {
                const std::string column = std::string(m.prefix) + l.detector;
                const auto best = best_of(here, m);
                row.push_back(cell(*l.line, column, best && l.line->mean(column) == best, Detail::full));
            }
            table.groups.back().push_back(std::move(row));
        }
    }
    return scroll_box(table.caption, table);
}

std::string runs_table(const ExperimentResults& e) {
    std::vector<Column<ResultRun>> columns = run_columns();  // those of the file that are numbers
    std::erase_if(columns, [&](const auto& c) {
        return c.get == nullptr || c.set == nullptr || (c.optional && !has_values(e, c));
    });
    Table table{
        "Every run of " + e.name + ".csv", attributes("runs", e), {{{"row"}, {"data set"}, {"seed"}}}, {{}}};
    for (const auto& column : columns) table.head[0].push_back(heading_cell(column.name));
    for (const ResultRun& run : e.runs) {
        TableRow row{{run.row},
                     {dataset_title(run.record.dataset), "", "class=\"w\""},
                     {std::to_string(run.record.seed)}};
        for (const auto& column : columns) {
            const auto value = column.get(run.record);
            row.push_back({"", value ? number_text(*value, column.name) : kNothing});
        }
        table.groups[0].push_back(std::move(row));
    }
    return scroll_box("every run of " + e.name, table);
}

std::string overview_table(const ExperimentResults& e, const std::vector<Line>& lines) {
    const std::vector<std::string> datasets = datasets_of(lines);
    const std::vector<const char*> means =
        datasets.size() > 1 ? std::vector{"omega_base", "omega_all"} : std::vector<const char*>{};
    Table table{e.title + " \u2013 our means, the paper's below, and the difference",
                attributes("overview", e),
                {{{"row", "", "rowspan=\"2\""}}, {}},
                {{}}};
    for (const std::string& dataset : datasets) {
        table.head[0].push_back({dataset_title(dataset), "", "", std::size(kOmegas)});
        for (const char* column : kOmegas) table.head[1].push_back(heading_cell(column));
    }
    if (!means.empty()) table.head[0].push_back({"mean", "", "", means.size()});
    for (const char* column : means) table.head[1].push_back(heading_cell(column));
    for (const std::string& name : row_names(lines)) {
        TableRow row{{name}};
        for (const std::string& dataset : datasets) {
            const auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& l) {
                return l.row == name && l.dataset == dataset;
            });
            for (const char* column : kOmegas)
                row.push_back(
                    line == lines.end()
                        ? Cell{"", kNothing}
                        : cell(*line, column, best_line(lines, dataset, column) == &*line, Detail::brief));
        }
        for (const char* column : means)
            row.push_back(mean_cell(lines, name, column, best_mean(lines, column)));
        table.groups[0].push_back(std::move(row));
    }
    return scroll_box(e.title, table);
}

}  // namespace fearnet::lab::page
