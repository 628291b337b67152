#include "lab/report/page/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/report/number_text.hpp"
#include "lab/report/page/open_world_plots.hpp"
#include "lab/report/page/plot_parts.hpp"
#include "lab/report/page/tables.hpp"
#include "lab/report/scores.hpp"

namespace fearnet::lab::page {

std::string slug(const std::string& text) {
    std::string result;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        const bool upper = c >= 'A' && c <= 'Z';
        result += plain ? c : upper ? static_cast<char>(c - 'A' + 'a') : '-';
    }
    return result;
}

std::vector<const Line*> lines_on(const std::vector<Line>& lines, const std::string& dataset) {
    std::vector<const Line*> found;
    for (const Line& line : lines)
        if (line.dataset == dataset) found.push_back(&line);
    return found;
}

std::string described(const LineChart& chart) {
    std::string text;
    for (const ChartLine& line : chart.lines)
        if (!line.series.empty())
            text += fmt::format("{}{}: from {:.3f} to {:.3f}", text.empty() ? "" : "; ", line.name,
                                line.series.mean.front(), line.series.mean.back());
    return text + ".";
}

std::string over_seeds(const std::vector<Line>& lines) {
    return one_seed(lines) ? "one seed." : "mean and range over the seeds.";
}

namespace {

constexpr const char* kOmegas[] = {"omega_base", "omega_new", "omega_all"};

// The offline MLP's accuracy on all classes, mean over the runs on the data set, as a level line.
ChartLine offline_line(const std::vector<const Line*>& lines, std::size_t last) {
    ChartLine reference{"offline MLP", 7, 0, false, true, {}};
    std::vector<double> values;
    for (const Line* line : lines)
        if (const auto mean = line->mean("offline_accuracy")) values.push_back(*mean);
    if (values.empty()) return reference;
    const std::vector<double> level(2, *statistics(values).mean);
    reference.series = {{0, last}, level, level, level};
    return reference;
}

LineChart session_chart(const ExperimentResults& e, const std::vector<Line>& lines,
                        const std::string& dataset, const std::string& column) {
    LineChart chart;
    chart.id = slug(e.name + "-" + dataset + (column == "all" ? "" : "-" + column));
    chart.x_label = "session";
    chart.y_label =
        column == "all" ? "mean-class accuracy, classes so far" : "mean-class accuracy, base classes";
    chart.title = dataset_title(dataset) + ": " + chart.y_label;
    chart.percent = chart.from_base = true;
    const std::vector<const Line*> here = lines_on(lines, dataset);
    std::size_t last = 1, index = 1;
    const bool one_method =
        std::count_if(here.begin(), here.end(), [](const Line* l) { return l->learner == "fearnet"; }) == 1;
    std::vector<ChartLine> strong;
    for (const Line* line : here) {
        // FearNet's line looks the same in every plot and is drawn over the others.
        const bool main = one_method && line->learner == "fearnet";
        const std::size_t i = main ? 0 : one_method ? index++ : index++ - 1;
        const std::size_t color = i == 0 ? 0 : 1 + (i - 1) % (kColors - 1);
        ChartLine drawn{line->row, color, i % kDashes, main, false, session_series(e, *line, column)};
        if (drawn.series.empty()) continue;
        last = std::max(last, drawn.series.session.back());
        (main ? strong : chart.lines).push_back(std::move(drawn));
    }
    if (column == "all" && !(chart.lines.empty() && strong.empty()))
        chart.lines.insert(chart.lines.begin(), offline_line(here, last));
    chart.lines.insert(chart.lines.end(), strong.begin(), strong.end());
    chart.description = described(chart);
    return chart;
}

bool is_dot_experiment(const std::string& name) {
    return name == "covariance" || name == "exemplars" || name == "routers";
}

void add_session_plots(const ExperimentResults& e, const std::vector<Line>& lines, std::vector<Plot>& plots) {
    const bool both = e.name == "multimodal" || e.name == "exemplars";
    for (const std::string& dataset : datasets_of(lines))
        for (const char* column :
             both ? std::vector<const char*>{"base", "all"} : std::vector<const char*>{"all"}) {
            LineChart chart = session_chart(e, lines, dataset, column);
            if (is_dot_experiment(e.name)) chart.id += "-sessions";
            add_plot(plots, chart, chart.title + ", after each session; " + over_seeds(lines),
                     line_chart_svg);
        }
}

// The three scores over the swept number. Colours as in accuracy.svg: base green, new orange, all blue.
LineChart sweep_chart(const ExperimentResults& e, const std::vector<Line>& lines, const std::string& dataset,
                      const std::string& over) {
    LineChart chart;
    chart.id = slug(e.name + "-" + dataset);
    chart.x_label = over == "sleep_every" ? "sessions between two sleeps" : "classes in the base session";
    chart.y_label = "\u03a9";
    chart.title = dataset_title(dataset) + ": \u03a9 over " + chart.x_label;
    chart.points = true;
    std::vector<const Line*> here = lines_on(lines, dataset);
    std::erase_if(here, [&](const Line* l) { return !l->find(over); });
    std::stable_sort(here.begin(), here.end(),
                     [&](const Line* a, const Line* b) { return *a->mean(over) < *b->mean(over); });
    std::set<std::string> learners;
    for (const Line* line : here) learners.insert(line->learner);
    std::size_t dash = 0;
    for (const std::string& learner : learners) {
        for (const auto& [column, color] : {std::pair{kOmegas[0], 2}, {kOmegas[1], 1}, {kOmegas[2], 0}}) {
            const std::string name = column_title(column) + (learners.size() > 1 ? ", " + learner : "");
            const auto look = static_cast<std::size_t>(color);
            ChartLine drawn{name, look, (look + dash) % kDashes, color == 0, false, {}};
            for (const Line* line : here) {
                const Spread* spread = line->learner == learner ? line->find(column) : nullptr;
                if (!spread) continue;
                drawn.series.session.push_back(static_cast<std::size_t>(*line->mean(over)));
                drawn.series.mean.push_back(spread->mean);
                drawn.series.low.push_back(spread->low);
                drawn.series.high.push_back(spread->high);
            }
            if (!drawn.series.empty()) chart.lines.push_back(std::move(drawn));
        }
        ++dash;
    }
    chart.description = described(chart);
    return chart;
}

DotRow dot_of(const std::string& name, const Line& line, const std::string& column,
              const std::string& paper_column) {
    DotRow row{name, {}, {}, {}, number(line.paper, paper_column)};
    if (const Spread* s = line.find(column)) row.ours = s->mean, row.low = s->low, row.high = s->high;
    return row;
}

std::string described(const DotChart& chart) {
    std::string text;
    for (const DotPanel& panel : chart.panels)
        for (const DotRow& row : panel.rows)
            if (row.ours)
                text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", panel.title, row.name,
                                    number_text(*row.ours, panel.column));
    return text + ".";
}

// A panel per column and title, with a dot per row.
DotChart dot_chart(const ExperimentResults& e, const std::vector<Line>& lines, const std::string& dataset,
                   const std::string& title,
                   const std::vector<std::pair<std::string, std::string>>& columns) {
    DotChart chart{slug(e.name + "-" + dataset), title, "", {}};
    for (const auto& [column, name] : columns) {
        DotPanel panel{name, column, is_bytes(column), {}};
        for (const Line* line : lines_on(lines, dataset))
            panel.rows.push_back(dot_of(line->row, *line, column, column));
        chart.panels.push_back(std::move(panel));
    }
    chart.description = described(chart);
    return chart;
}

DotChart memory_chart(const ExperimentResults& e, const std::vector<Line>& lines,
                      const std::string& dataset) {
    return dot_chart(e, lines, dataset, "Memory on " + dataset_title(dataset),
                     {{"memory_bytes", "measured"}, {kMemoryAt1000, "at 1,000 classes"}});
}

DotChart score_chart(const ExperimentResults& e, const std::vector<Line>& lines, const std::string& dataset) {
    std::vector<std::pair<std::string, std::string>> columns;
    for (const char* column : kOmegas) columns.emplace_back(column, column_title(column));
    return dot_chart(e, lines, dataset, e.title + ", " + dataset_title(dataset), columns);
}

// All data sets in one: the learned router, and below it the oracle.
DotChart oracle_chart(const ExperimentResults& e, const std::vector<Line>& lines) {
    DotChart chart{slug(e.name), e.title, "", {}};
    const bool one_row =
        std::all_of(lines.begin(), lines.end(), [&](const Line& l) { return l.row == lines.front().row; });
    for (const char* column : kOmegas) {
        const std::string oracle = std::string("oracle") + (column + 5);  // omega_base -> oracle_base
        DotPanel panel{column_title(column), column, false, {}};
        for (const Line& line : lines) {
            const std::string name = dataset_title(line.dataset) + (one_row ? "" : ", " + line.row);
            panel.rows.push_back(dot_of(name, line, column, column));
            panel.rows.push_back(dot_of(name + ", oracle", line, oracle, oracle));
        }
        chart.panels.push_back(std::move(panel));
    }
    chart.description = described(chart);
    return chart;
}

}  // namespace

std::string swept_column(const std::vector<Line>& lines) {
    for (const char* column : {"sleep_every", "base_classes"})
        for (const std::string& dataset : datasets_of(lines)) {
            std::set<double> values;
            for (const Line* line : lines_on(lines, dataset))
                if (const auto mean = line->mean(column)) values.insert(*mean);
            if (values.size() >= 3) return column;
        }
    return "";
}

Series session_series(const ExperimentResults& e, const Line& line, std::string_view column) {
    const auto& columns = result_session_columns();
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return column == c.name; });
    std::vector<const RunRecord*> runs;
    for (const ResultRun& run : e.runs)
        if (run.row == line.row && run.record.dataset == line.dataset) runs.push_back(&run.record);
    return collect(runs, found->get);
}

std::vector<Plot> plots_of(const ExperimentResults& e, const std::vector<Line>& lines) {
    std::vector<Plot> plots;
    const std::string over = swept_column(lines);
    if (has_open_world(lines)) return open_world_plots(e, lines);
    if (e.name == "oracle" && !lines.empty()) {
        const DotChart chart = oracle_chart(e, lines);
        add_plot(plots, chart, chart.title + " \u2013 ours beside the paper's.", dot_chart_svg);
        return plots;
    }
    if (!is_dot_experiment(e.name) && e.name != "memory" && over.empty()) {
        add_session_plots(e, lines, plots);
        return plots;
    }
    for (const std::string& dataset : datasets_of(lines)) {
        if (e.name == "memory") {
            const DotChart chart = memory_chart(e, lines, dataset);
            add_plot(plots, chart, chart.title + ", logarithmic scale.", dot_chart_svg);
        } else if (is_dot_experiment(e.name)) {
            const DotChart chart = score_chart(e, lines, dataset);
            add_plot(plots, chart, chart.title + " \u2013 ours beside the paper's.", dot_chart_svg);
        } else {
            const LineChart chart = sweep_chart(e, lines, dataset, over);
            add_plot(plots, chart, chart.title + "; " + over_seeds(lines), line_chart_svg);
        }
    }
    if (e.name == "exemplars") add_session_plots(e, lines, plots);
    return plots;
}

}  // namespace fearnet::lab::page
