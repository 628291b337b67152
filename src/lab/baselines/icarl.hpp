// iCaRL (Rebuffi et al. 2017) on feature vectors: a network that learns a representation, a few stored rows
// per class, answers by the nearest class mean.
#pragma once

#include "core/nn/network.hpp"
#include "fearnet/scoring_learner.hpp"
#include "lab/baselines/icarl_options.hpp"

namespace fearnet::lab {

// Stored rows, ordered by the column of their class.
struct Exemplars {
    Matrix rows;
    std::vector<std::int32_t> columns;
};

// n x classes the network has outputs for: its sigmoid outputs, dropout off. What the next session distills.
Matrix sigmoid_outputs(const nn::Network& network, MatrixView x);

class Icarl final : public ScoringLearner<Icarl, IcarlOptions> {
  public:
    explicit Icarl(const IcarlOptions& options = {}, std::uint64_t seed = 1)
        : ScoringLearner(options, seed) {}

    std::string name() const override { return "icarl"; }
    MemoryUse memory() const override;

    const Exemplars& exemplars() const { return exemplars_; }

  private:
    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override;
    Matrix scores(MatrixView x) const override;
    void save_model(State& state) const override;
    void load_model(const State& state) override;

    nn::Network grown_network(std::size_t inputs, std::size_t classes) const;
    Exemplars choose_exemplars(const nn::Network& network, MatrixView x,
                               std::span<const std::int32_t> columns) const;

    nn::Network network_;
    Exemplars exemplars_;
    Matrix means_;  // classes x code: made from the two above
};

}  // namespace fearnet::lab
