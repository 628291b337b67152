#include "lab/report/page/open_world_plots.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/report/number_text.hpp"
#include "lab/report/page/plot_parts.hpp"
#include "lab/results/open_world_names.hpp"

namespace fearnet::lab::page {
namespace {

LineChart session_chart(const ExperimentResults& e, const std::string& dataset, const char* kind,
                        const char* y_label) {
    LineChart chart;
    chart.id = slug(e.name + "-" + dataset + "-" + kind);
    chart.x_label = "session";
    chart.y_label = y_label;
    chart.title = dataset_title(dataset) + ": " + y_label;
    chart.from_base = true;
    return chart;
}

// Familiarity of every row that has it. The other scores are those of one row: the first with familiarity or,
// if there is none, the first.
LineChart auroc_chart(const ExperimentResults& e, const std::vector<Line>& lines,
                      const std::string& dataset) {
    LineChart chart = session_chart(e, dataset, "auroc", "AUROC against classes not taught yet");
    std::vector<const Line*> here = lines_on(lines, dataset);
    std::erase_if(here, [](const Line* l) { return !l->find("auroc_softmax"); });
    if (here.empty()) return chart;
    const auto familiar = [](const Line* l) { return l->find("auroc_familiarity") != nullptr; };
    const auto first = std::find_if(here.begin(), here.end(), familiar);
    const Line* main = first == here.end() ? here.front() : *first;
    std::size_t look = 1;
    const auto add = [&](const DetectorName& detector, const Line* line, bool strong) {
        Series series = session_series(e, *line, std::string("auroc_") + detector.name);
        if (series.empty()) return;
        const std::string name =
            detector.of_learner ? std::string(detector.title) + ", " + line->row : detector.title;
        const std::size_t i = strong ? 0 : look++;
        const std::size_t color = i == 0 ? 0 : 1 + (i - 1) % (kColors - 1);
        chart.lines.push_back({name, color, i % kDashes, strong, false, std::move(series)});
    };
    for (const DetectorName& detector : kDetectorNames)
        if (&detector != &kDetectorNames.front()) add(detector, main, false);
    for (const Line* line : here)
        if (line != main && familiar(line)) add(kDetectorNames.front(), line, false);
    add(kDetectorNames.front(), main, true);
    chart.description = described(chart);
    return chart;
}

struct CoverageMeasure {
    const char* column;
    const char* title;
    double nominal;
};
constexpr CoverageMeasure kCoverageMeasures[] = {{"coverage_99", "familiar at 99 %", 0.99},
                                                 {"coverage_95", "familiar at 95 %", 0.95},
                                                 {"coverage_set_90", "class in 90 % set", 0.9}};

// Color by row, dashes by measure.
LineChart coverage_chart(const ExperimentResults& e, const std::vector<Line>& lines,
                         const std::string& dataset) {
    LineChart chart = session_chart(e, dataset, "coverage", "share of known rows");
    chart.title = dataset_title(dataset) + ": coverage";
    chart.percent = true;
    std::vector<ChartLine> measured;
    std::size_t color = 0, last = 1;
    for (const Line* line : lines_on(lines, dataset)) {
        std::size_t dash = 0;
        const std::size_t before = measured.size();
        for (const CoverageMeasure& m : kCoverageMeasures) {
            Series series = session_series(e, *line, m.column);
            if (!series.empty()) {
                last = std::max(last, series.session.back());
                measured.push_back(
                    {std::string(m.title) + ", " + line->row, color, dash, false, false, std::move(series)});
            }
            ++dash;
        }
        if (measured.size() > before) ++color;
    }
    if (measured.empty()) return chart;
    for (const CoverageMeasure& m : kCoverageMeasures) {
        const std::vector<double> level(2, m.nominal);
        chart.lines.push_back({fmt::format("nominal {:.0f} %", 100 * m.nominal),
                               7,
                               0,
                               false,
                               true,
                               {{0, last}, level, level, level}});
    }
    chart.lines.insert(chart.lines.end(), measured.begin(), measured.end());
    chart.description = described(chart);
    return chart;
}

ReliabilityChart reliability_chart(const ExperimentResults& e, const std::vector<Line>& lines,
                                   const std::string& dataset) {
    ReliabilityChart chart{slug(e.name + "-" + dataset + "-reliability"),
                           dataset_title(dataset) + ": reliability after the last session",
                           "",
                           {}};
    for (const Line* line : lines_on(lines, dataset)) {
        std::vector<std::vector<ReliabilityBin>> of_runs;
        for (const ResultRun& run : e.runs)
            if (run.row == line->row && run.record.dataset == dataset && run.record.open_world &&
                !run.record.open_world->reliability.empty())
                of_runs.push_back(run.record.open_world->reliability);
        if (of_runs.empty()) continue;
        const std::vector<ReliabilityBin> bins = pooled_bins(of_runs);
        const std::string note = fmt::format("ECE {:.1f} %", 100 * calibration_error(bins));
        chart.description += (chart.description.empty() ? "" : "; ") + line->row + " " + note;
        chart.panels.push_back({line->row, note, bins});
    }
    return chart;
}

}  // namespace

std::vector<ReliabilityBin> pooled_bins(const std::vector<std::vector<ReliabilityBin>>& runs) {
    std::vector<ReliabilityBin> pooled(runs.empty() ? 0 : runs.front().size());
    for (const std::vector<ReliabilityBin>& bins : runs)
        for (std::size_t b = 0; b < std::min(bins.size(), pooled.size()); ++b) {
            pooled[b].confidence += bins[b].share * bins[b].confidence;
            pooled[b].accuracy += bins[b].share * bins[b].accuracy;
            pooled[b].share += bins[b].share;
        }
    for (ReliabilityBin& bin : pooled)
        if (bin.share > 0) {
            bin.confidence /= bin.share, bin.accuracy /= bin.share;
            bin.share /= static_cast<double>(runs.size());
        }
    return pooled;
}

std::vector<Plot> open_world_plots(const ExperimentResults& e, const std::vector<Line>& lines) {
    std::vector<Plot> plots;
    for (const std::string& dataset : datasets_of(lines)) {
        const LineChart detection = auroc_chart(e, lines, dataset);
        add_plot(plots, detection, detection.title + ", after each evaluated session; " + over_seeds(lines),
                 line_chart_svg);
        const LineChart coverage = coverage_chart(e, lines, dataset);
        add_plot(plots, coverage,
                 coverage.title + ", share of known rows after each evaluated session; " + over_seeds(lines),
                 line_chart_svg);
        const ReliabilityChart reliability = reliability_chart(e, lines, dataset);
        add_plot(
            plots, reliability,
            reliability.title + ": accuracy over confidence; the area of a dot shows the share of the rows.",
            reliability_chart_svg);
    }
    return plots;
}

}  // namespace fearnet::lab::page
