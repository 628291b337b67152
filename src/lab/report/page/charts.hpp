// Plots of the results page as SVG. Colours are CSS classes (chart_style), so that one picture serves light
// and dark; lines also differ in their dashes and carry their names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fearnet/lab/open_world.hpp"
#include "lab/report/accuracy_series.hpp"

namespace fearnet::lab::page {

// Wide has the names of lines at their ends; narrow, for telephones, has them below.
enum class ChartWidth { wide, narrow };

struct ChartLine {
    std::string name;
    std::size_t color = 0;  // see kColors
    std::size_t dash = 0;   // 0 is a full line
    bool strong = false;
    bool reference = false;  // dotted grey, no points counted
    Series series;           // `session` is the number on the x axis
};
constexpr std::size_t kColors = 8, kDashes = 4;

struct LineChart {
    std::string id;     // of the elements, unique on the page
    std::string title;  // plain text, like all that follows
    std::string description;
    std::string x_label, y_label;
    bool percent = false;    // of the y axis
    bool from_base = false;  // 0 on the x axis is the base session
    bool points = false;     // mark every point
    std::vector<ChartLine> lines;
};

// Ours as a dot with its range over the seeds, the paper's as a ring, a line per row.
struct DotRow {
    std::string name;
    std::optional<double> ours, low, high, paper;
};
struct DotPanel {
    std::string title;
    std::string column;  // says how numbers are printed
    bool logarithmic = false;
    std::vector<DotRow> rows;  // the same names in every panel
};
struct DotChart {
    std::string id, title, description;
    std::vector<DotPanel> panels;
};

// Reliability diagrams: accuracy over confidence, a panel per learner. The area of a dot shows the share of
// the rows.
struct ReliabilityPanel {
    std::string name;
    std::string note;  // below the name
    std::vector<ReliabilityBin> bins;
};
struct ReliabilityChart {
    std::string id, title, description;
    std::vector<ReliabilityPanel> panels;
};

// An <svg> element for an HTML page. A chart without any number gives empty text.
std::string line_chart_svg(const LineChart& chart, ChartWidth width);
std::string dot_chart_svg(const DotChart& chart, ChartWidth width);
std::string reliability_chart_svg(const ReliabilityChart& chart, ChartWidth width);

// The same as a file of its own, with its colours.
std::string standalone_svg(const std::string& svg);

// CSS of everything in the charts, and the colours of both schemes as custom properties.
extern const char* const kChartStyle;
extern const char* const kLightColors;
extern const char* const kDarkColors;

}  // namespace fearnet::lab::page
