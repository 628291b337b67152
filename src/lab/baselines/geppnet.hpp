// GeppNet (Gepperth and Karaoguz 2016): a self-organizing map with a linear read-out, which keeps and replays
// all its training data.
#pragma once

#include "core/learners/kit/row_store.hpp"
#include "fearnet/scoring_learner.hpp"
#include "lab/baselines/geppnet_model.hpp"

namespace fearnet::lab {

// Learns in every session. Sleep has nothing to do.
class GeppNet final : public ScoringLearner<GeppNet, GeppNetOptions> {
  public:
    explicit GeppNet(const GeppNetOptions& options = {}, std::uint64_t seed = 1)
        : ScoringLearner(options, seed) {}

    std::string name() const override { return "geppnet"; }
    MemoryUse memory() const override;

  private:
    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override;
    Matrix scores(MatrixView x) const override { return model_.scores(x, settings().activation); }
    void save_model(State& state) const override;
    void load_model(const State& state) override;

    GeppNetModel model_;
    RowStore known_;
};

}  // namespace fearnet::lab
