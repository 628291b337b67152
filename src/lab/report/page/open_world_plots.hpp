// The plots of an experiment that measures open-world answers.
#pragma once

#include "lab/report/page/plots.hpp"

namespace fearnet::lab::page {

// For each data set: AUROC over sessions by score, coverage over sessions with its nominal values, and the
// reliability diagrams after the last session.
std::vector<Plot> open_world_plots(const ExperimentResults& results, const std::vector<Line>& lines);

// The bins of several runs as one: shares are means, confidence and accuracy are weighted by them. All runs
// have the same number of bins.
std::vector<ReliabilityBin> pooled_bins(const std::vector<std::vector<ReliabilityBin>>& runs);

}  // namespace fearnet::lab::page
