// The statistics of every class after sleep, dropout off: of a new one from its stored rows, of an old one
// from pseudo-examples of what it was, of one that is in both memories from both.
#pragma once

#include <vector>

#include "core/learners/fearnet/hippocampus.hpp"
#include "core/learners/fearnet/prefrontal_cortex.hpp"
#include "core/learners/fearnet/replay.hpp"
#include "core/learners/fearnet/training.hpp"

namespace fearnet {

class StatisticsRefresh {
  public:
    // `column_of_recent`: of each class of the recent memory, among `classes` columns of which the old ones
    // are first. All must outlive it. `network`: the long-term memory's, as large as it will be; throws Error
    // when it and the least statistics do not keep the memory budget.
    StatisticsRefresh(const PrefrontalCortex& before, const Hippocampus& recent,
                      const std::vector<std::size_t>& column_of_recent, std::size_t classes, Replay& replay,
                      const FearNetOptions& options, const nn::Network& network);

    // About the seconds that run takes, by the clock of `limit`: those of the first class times the classes.
    double estimate(const nn::Network& network, const TimeLimit& limit);
    // With the network that sleep trained. Throws Cancelled.
    std::vector<ClassStatistics> run(const nn::Network& network, const Progress& progress);

  private:
    // What statistics are made from.
    struct Source {
        Matrix codes, residual;
    };
    bool is_old(std::size_t column) const { return column < before_.classes().size(); }
    Source remembered(std::size_t column, const nn::Network& network);
    static Source stored(const Matrix& rows, const nn::Network& network);
    void prepare(std::size_t first, std::size_t count, const nn::Network& network);
    ClassStatistics finish(std::size_t column);

    const PrefrontalCortex& before_;
    std::vector<const Matrix*> rows_;  // stored ones, by column; null where there are none
    Replay& replay_;
    StatisticsOptions options_;
    std::size_t samples_ = 0, first_ = 0;
    std::vector<Source> old_, fresh_;  // of the classes from first_ on
};

}  // namespace fearnet
