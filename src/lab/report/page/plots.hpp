// Which plots an experiment has, made from its runs.
#pragma once

#include "lab/report/page/charts.hpp"
#include "lab/report/page/summary.hpp"

namespace fearnet::lab::page {

struct Plot {
    std::string file;  // name without folder, ends in .svg
    std::string caption;
    std::string wide, narrow;  // the same picture for wide and for narrow pages
};

// Accuracy over sessions per data set (soa and experiments not known here; base and all classes for
// multimodal), scores over the swept number (sleep-frequency, base-size and every experiment whose rows
// differ in it), memory on a logarithmic scale (memory), open-world answers (experiments that measure them),
// ours beside the paper's as dots (the others).
// Nothing where nothing was run.
std::vector<Plot> plots_of(const ExperimentResults& results, const std::vector<Line>& lines);

// The column that is swept: sleep_every or base_classes when at least three lines of a data set differ in it.
std::string swept_column(const std::vector<Line>& lines);

// A column of NAME_sessions.csv over the seeds of a row; only sessions that every seed has.
Series session_series(const ExperimentResults& results, const Line& line, std::string_view column);

}  // namespace fearnet::lab::page
