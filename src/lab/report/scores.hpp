// The scores of a run, and their statistics over seeds.
#pragma once

#include <optional>
#include <vector>

#include "lab/results/columns.hpp"

namespace fearnet::lab {

// The scores and accuracies among the columns of a run, without the optional ones.
std::vector<Column<ResultRun>> score_columns();

// The deviation is the sample's (n - 1) and needs two values.
struct Statistics {
    std::optional<double> mean;
    std::optional<double> deviation;
};
Statistics statistics(const std::vector<double>& values);
// Over those finished runs that have the number.
Statistics statistics(const std::vector<RunRecord>& runs, const Column<ResultRun>& column);

}  // namespace fearnet::lab
