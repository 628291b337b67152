// The lines of an experiment's table: the runs of a row put together over the seeds, beside the paper's
// numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/results/columns.hpp"

namespace fearnet::lab::page {

// By column name; a number that is not there was not measured.
using Numbers = std::map<std::string, double, std::less<>>;
std::optional<double> number(const Numbers& numbers, std::string_view column);

void add_new(std::vector<std::string>& names, const std::string& name);  // unless it is there

// A column over the seeds.
struct Spread {
    std::size_t n = 0;  // runs that have the number
    double mean = 0;
    std::optional<double> deviation;  // of the sample; needs two runs
    double low = 0, high = 0;
};

// One row of the experiment on one data set.
struct Line {
    std::string dataset, row, learner;
    std::vector<std::uint64_t> seeds;  // that were run
    std::map<std::string, Spread, std::less<>> ours;
    Numbers paper;
    std::string note;  // about the paper's numbers

    const Spread* find(std::string_view column) const;
    std::optional<double> mean(std::string_view column) const;
};

// The column with the memory extrapolated to kManyClasses.
constexpr const char* kMemoryAt1000 = "memory_bytes_1000";

// Ordered by data set, then row, each in the order of the runs. A row the paper has or that is missing gets a
// line without numbers of ours.
std::vector<Line> summarize(const ExperimentResults& results);

// The data sets in the order of the lines.
std::vector<std::string> datasets_of(const std::vector<Line>& lines);

// The line of the data set with the best mean of ours; none when fewer than two lines have one.
const Line* best_line(const std::vector<Line>& lines, const std::string& dataset, std::string_view column);

// Whether a run of the experiment has measured open-world answers.
bool has_open_world(const std::vector<Line>& lines);

// Mean over the data sets, when every one of them has the number: ours or the paper's.
std::optional<double> mean_over_datasets(const std::vector<Line>& lines, const std::string& row,
                                         std::string_view column, bool of_paper);

}  // namespace fearnet::lab::page
