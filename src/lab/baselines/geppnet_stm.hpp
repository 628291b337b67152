// GeppNet+STM: a GeppNet that keeps novel rows in a short-term memory and learns them in sleep only.
#pragma once

#include "core/learners/kit/row_store.hpp"
#include "fearnet/scoring_learner.hpp"
#include "lab/baselines/geppnet_model.hpp"

namespace fearnet::lab {

// The base session trains the model. Later ones only put their novel rows into the buffer, where the oldest
// make room. Sleep is the consolidation phase: it trains on the buffer and on all rows consolidated before,
// and empties the buffer into those. A class is not predicted before the first sleep after its session.
class GeppNetStm final : public ScoringLearner<GeppNetStm, GeppNetStmOptions> {
  public:
    explicit GeppNetStm(const GeppNetStmOptions& options = {}, std::uint64_t seed = 1)
        : ScoringLearner(options, seed) {}

    std::string name() const override { return "geppnet-stm"; }
    MemoryUse memory() const override;
    std::vector<ClassId> recent_classes() const override;
    std::vector<ClassId> consolidated_classes() const override;

  private:
    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override;
    void do_sleep(const SleepEffort& effort, const Progress& progress) override;
    Matrix scores(MatrixView x) const override;
    void save_model(State& state) const override;
    void load_model(const State& state) override;

    void store_novel(MatrixView x, std::span<const std::int32_t> columns, const Progress& progress);

    GeppNetModel model_;
    RowStore known_;   // base knowledge and what was consolidated
    RowStore buffer_;  // novel rows since the last sleep
};

}  // namespace fearnet::lab
