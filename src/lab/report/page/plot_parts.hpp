// What the makers of plots share.
#pragma once

#include "lab/report/page/plots.hpp"

namespace fearnet::lab::page {

// A name for files and ids.
std::string slug(const std::string& text);

std::vector<const Line*> lines_on(const std::vector<Line>& lines, const std::string& dataset);

// "mean and range over the seeds.", unless there is only one.
std::string over_seeds(const std::vector<Line>& lines);

// First and last number of every line of the chart.
std::string described(const LineChart& chart);

// Draws the chart in both widths, unless it is empty.
template <class Chart>
void add_plot(std::vector<Plot>& plots, Chart chart, const std::string& caption,
              std::string (*draw)(const Chart&, ChartWidth)) {
    Plot plot{chart.id + ".svg", caption, draw(chart, ChartWidth::wide), ""};
    if (plot.wide.empty()) return;
    chart.id += "-narrow";
    plot.narrow = draw(chart, ChartWidth::narrow);
    plots.push_back(std::move(plot));
}

}  // namespace fearnet::lab::page
