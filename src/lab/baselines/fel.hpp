// Fixed Expansion Layer network (Coop, Mishtal, Arel 2013): a large sparse layer between hidden layer and
// output, so that a training step changes few weights.
#pragma once

#include "fearnet/scoring_learner.hpp"
#include "lab/baselines/fel_network.hpp"
#include "lab/baselines/fel_options.hpp"

namespace fearnet::lab {

// Sees only the rows of the present session.
class Fel final : public ScoringLearner<Fel, FelOptions> {
  public:
    explicit Fel(const FelOptions& options = {}, std::uint64_t seed = 1) : ScoringLearner(options, seed) {}

    std::string name() const override { return "fel"; }
    MemoryUse memory() const override;

  private:
    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override;
    Matrix scores(MatrixView x) const override { return network_.scores(x); }
    void save_model(State& state) const override;
    void load_model(const State& state) override;

    FelNetwork first_network(MatrixView x) const;
    void make_fixed_layer(FelNetwork& network) const;

    FelNetwork network_;
};

}  // namespace fearnet::lab
