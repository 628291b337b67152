// The tables of the page as HTML.
#pragma once

#include "lab/report/page/summary.hpp"

namespace fearnet::lab::page {

// Ours beside the paper's, a group of lines per data set.
std::string comparison_table(const ExperimentResults& results, const std::vector<Line>& lines);
// AUROC and false positive rates of every score, a group of lines per data set. Scores that do not depend on
// the learner have one line.
std::string detectors_table(const ExperimentResults& results, const std::vector<Line>& lines);
// Every line of NAME.csv.
std::string runs_table(const ExperimentResults& results);
// The paper's main table: a line per row, the three scores of every data set and their mean.
std::string overview_table(const ExperimentResults& results, const std::vector<Line>& lines);

// The columns of the comparison: those the experiment is about and those the paper has numbers for.
std::vector<std::string> compared_columns(const ExperimentResults& results, const std::vector<Line>& lines);

// "3 seeds", "1 to 3 seeds": how many runs stand behind the means.
// No row was run with more than one.
bool one_seed(const std::vector<Line>& lines);
std::string seeds_text(const std::vector<Line>& lines);

}  // namespace fearnet::lab::page
