#include "lab/report/page/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/report/page/number_text.hpp"
#include "lab/report/page/plots.hpp"
#include "lab/report/svg.hpp"

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

bool is_setting(std::string_view column) {
    return column == "classes" || column.ends_with("_every") || column == "base_classes";
}

// Of what a memory consists is no contest.
bool is_compared(std::string_view column) {
    return !is_setting(column) &&
           (!column.starts_with("memory_") || column == "memory_bytes" || column == kManyMemory);
}

enum class Detail { full, brief };  // brief: no spread, and no word that says whose the second number is

std::string ours_html(const Spread& spread, std::string_view column, bool best, Detail detail) {
    std::string text = xml_text(number_text(spread.mean, column));
    if (best) text = "<strong>" + text + "</strong>";
    // A setting, and the same bytes for every seed, need no "+- 0".
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

std::string cell(const Line& line, const std::string& column, bool best, Detail detail) {
    const Spread* spread = line.find(column);
    const auto paper = number(line.paper, column);
    std::string text = spread ? ours_html(*spread, column, best, detail) : kNothing;
    if (paper) text += paper_html(line.mean(column), *paper, column, detail);
    return fmt::format("<td data-dataset=\"{}\" data-row=\"{}\" data-column=\"{}\"{}>{}</td>",
                       xml_text(line.dataset), xml_text(line.row), column, best ? " class=\"best\"" : "",
                       text);
}

// "200 classes, 100 of them base; offline MLP 68.1 %"
std::string dataset_note(const std::vector<Line>& lines, const std::string& dataset) {
    std::string note;
    for (const Line& line : lines) {
        if (line.dataset != dataset || line.seeds.empty()) continue;
        note = fmt::format("{:.0f} classes; offline MLP {}", *line.mean("classes"),
                           number_text(*line.mean("offline_accuracy"), "offline_accuracy"));
        break;
    }
    return note;
}

std::string scroll_box(const std::string& label, const std::string& table) {
    return fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{}</div>\n",
                       xml_text(label), table);
}

std::vector<std::string> rows_of(const std::vector<Line>& lines) {
    std::vector<std::string> rows;
    for (const Line& line : lines)
        if (std::find(rows.begin(), rows.end(), line.row) == rows.end()) rows.push_back(line.row);
    return rows;
}

std::string mean_cell(const std::vector<Line>& lines, const std::string& row, const std::string& column,
                      std::optional<double> best) {
    const auto ours = mean_over_datasets(lines, row, column, false);
    const auto paper = mean_over_datasets(lines, row, column, true);
    const bool marked = ours && best == ours;
    std::string text =
        ours ? ours_html({1, *ours, {}, *ours, *ours}, column, marked, Detail::brief) : kNothing;
    if (paper) text += paper_html(ours, *paper, column, Detail::brief);
    return fmt::format("<td data-row=\"{}\" data-mean-of=\"{}\"{}>{}</td>", xml_text(row), column,
                       marked ? " class=\"best\"" : "", text);
}

std::optional<double> best_mean(const std::vector<Line>& lines, const std::string& column) {
    std::optional<double> best;
    std::size_t candidates = 0;
    for (const std::string& row : rows_of(lines))
        if (const auto mean = mean_over_datasets(lines, row, column, false)) {
            best = std::max(best.value_or(*mean), *mean);
            ++candidates;
        }
    return candidates < 2 ? std::nullopt : best;
}

}  // namespace

std::vector<std::string> compared_columns(const Experiment& e, const std::vector<Line>& lines) {
    std::vector<std::string> columns;
    if (const std::string over = swept_column(lines); !over.empty()) columns.push_back(over);
    if (e.name == "memory")
        columns.insert(columns.end(), {"memory_bytes", kManyMemory, "memory_networks", "memory_statistics",
                                       "memory_examples", "memory_other"});
    else
        columns.insert(columns.end(), std::begin(kOmegas), std::end(kOmegas));
    if (e.name == "oracle" || e.name == "routers")
        columns.insert(columns.end(), {"oracle_base", "oracle_new", "oracle_all"});
    if (e.name == "multimodal" ||
        e.name == "base-size")  // where the offline model of all classes decides much
        columns.insert(columns.end(), {"omega_base_restricted", "omega_all_restricted"});
    if (e.name == "soa" || e.name == "multimodal") columns.emplace_back("final_accuracy");
    if (e.name == "covariance" || e.name == "exemplars" || e.name == "soa")
        columns.emplace_back("memory_bytes");
    for (const Line& line : lines)
        for (const auto& [column, value] : line.paper) {
            const bool known = column_title(column) != column || is_setting(column);
            if (known && !is_setting(column) &&
                std::find(columns.begin(), columns.end(), column) == columns.end())
                columns.push_back(column);
        }
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

std::string comparison_table(const Experiment& e, const std::vector<Line>& lines) {
    const std::vector<std::string> columns = compared_columns(e, lines);
    const std::string caption = e.paper.empty() ? e.title : e.title + " \u2013 ours beside the paper's";
    std::string t = fmt::format(
        "<table class=\"compare\" data-experiment=\"{}\">\n<caption><span>{}</span></caption>\n"
        "<thead><tr><th scope=\"col\">row</th>",
        xml_text(e.name), xml_text(caption));
    for (const std::string& column : columns) t += "<th scope=\"col\">" + heading(column) + "</th>";
    t += "<th scope=\"col\">seeds</th></tr></thead>\n";
    for (const std::string& dataset : datasets_of(lines)) {
        t += fmt::format(
            "<tbody>\n<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\"><span>{}</span> "
            "<small>{}</small></th></tr>\n",
            columns.size() + 2, xml_text(dataset_title(dataset)), dataset_note(lines, dataset));
        for (const Line& line : lines) {
            if (line.dataset != dataset) continue;
            t += "<tr><th scope=\"row\">" + xml_text(line.row) + "</th>";
            for (const std::string& column : columns) {
                const Line* best = is_compared(column) ? best_line(lines, dataset, column) : nullptr;
                t += cell(line, column, best && line.mean(column) == best->mean(column), Detail::full);
            }
            t += fmt::format("<td class=\"n\">{}</td></tr>\n", line.seeds.size());
        }
        t += "</tbody>\n";
    }
    return scroll_box(caption, t + "</table>\n");
}

std::string runs_table(const Experiment& e) {
    std::string t = fmt::format(
        "<table class=\"runs\" data-experiment=\"{}\">\n<caption><span>Every run of {}.csv</span></caption>\n"
        "<thead><tr><th scope=\"col\">row</th><th scope=\"col\">data set</th>"
        "<th scope=\"col\">seed</th>",
        xml_text(e.name), xml_text(e.name));
    static constexpr const char* kColumns[] = {"classes",
                                               "base_classes",
                                               "sleep_every",
                                               "evaluate_every",
                                               "omega_base",
                                               "omega_new",
                                               "omega_all",
                                               "omega_base_restricted",
                                               "omega_new_restricted",
                                               "omega_all_restricted",
                                               "oracle_base",
                                               "oracle_new",
                                               "oracle_all",
                                               "offline_accuracy",
                                               "final_accuracy",
                                               "memory_bytes",
                                               "memory_networks",
                                               "memory_statistics",
                                               "memory_examples",
                                               "memory_other"};
    for (const char* column : kColumns) t += "<th scope=\"col\">" + heading(column) + "</th>";
    t += "</tr></thead>\n<tbody>\n";
    for (const Run& run : e.runs) {
        t += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"w\">{}</td><td>{}</td>", xml_text(run.row),
                         xml_text(dataset_title(run.dataset)), run.seed);
        for (const char* column : kColumns) {
            const auto value = number(run.numbers, column);
            t += "<td>" + (value ? number_text(*value, column) : std::string(kNothing)) + "</td>";
        }
        t += "</tr>\n";
    }
    return scroll_box("every run of " + e.name, t + "</tbody>\n</table>\n");
}

std::string overview_table(const Experiment& e, const std::vector<Line>& lines) {
    const std::vector<std::string> datasets = datasets_of(lines);
    const bool several = datasets.size() > 1;
    std::string t = fmt::format(
        "<table class=\"overview\" data-experiment=\"{}\">\n<caption><span>{} \u2013 our means, the paper's "
        "below, and the "
        "difference</span></caption>\n<thead><tr><th scope=\"col\" rowspan=\"2\">row</th>",
        xml_text(e.name), xml_text(e.title));
    std::string second = "<tr>";
    for (const std::string& dataset : datasets) {
        t += "<th scope=\"colgroup\" colspan=\"3\">" + xml_text(dataset_title(dataset)) + "</th>";
        for (const char* column : kOmegas) second += "<th scope=\"col\">" + heading(column) + "</th>";
    }
    if (several) {
        t += "<th scope=\"colgroup\" colspan=\"2\">mean</th>";
        for (const char* column : {"omega_base", "omega_all"})
            second += "<th scope=\"col\">" + heading(column) + "</th>";
    }
    t += "</tr>\n" + second + "</tr></thead>\n<tbody>\n";
    for (const std::string& row : rows_of(lines)) {
        t += "<tr><th scope=\"row\">" + xml_text(row) + "</th>";
        for (const std::string& dataset : datasets) {
            const auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& l) {
                return l.row == row && l.dataset == dataset;
            });
            for (const char* column : kOmegas)
                t += line == lines.end()
                         ? std::string("<td>") + kNothing + "</td>"
                         : cell(*line, column, best_line(lines, dataset, column) == &*line, Detail::brief);
        }
        for (const char* column : {"omega_base", "omega_all"})
            if (several) t += mean_cell(lines, row, column, best_mean(lines, column));
        t += "</tr>\n";
    }
    return scroll_box(e.title, t + "</tbody>\n</table>\n");
}

}  // namespace fearnet::lab::page
