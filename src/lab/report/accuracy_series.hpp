// The lines of the accuracy plot: runs of several seeds aggregated by session.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "fearnet/lab/run.hpp"

namespace fearnet::lab {

// One line. Values are accuracies in 0..1; the four vectors are equally long.
struct Series {
    std::vector<std::size_t> session;
    std::vector<double> mean;
    std::vector<double> low;
    std::vector<double> high;

    bool empty() const { return session.empty(); }
};

// The runs to show: the finished ones or, where there is none, those that were stopped after some session.
std::vector<const RunRecord*> runs_to_show(const std::vector<RunRecord>& runs);

// Mean, smallest and largest of `value` over the runs, for every session for which all of them have a value.
Series collect(const std::vector<const RunRecord*>& runs,
               const std::function<std::optional<double>(const SessionRecord&)>& value);

// The mean replaced by its average over a window of `width` sessions around each, shorter at the ends.
Series running_mean(const Series& series, std::size_t width);

}  // namespace fearnet::lab
