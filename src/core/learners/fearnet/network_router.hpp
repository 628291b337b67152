// The router of the paper: a network shaped like the encoder, with a logistic output.
#pragma once

#include "core/learners/fearnet/hippocampus.hpp"
#include "core/learners/fearnet/prefrontal_cortex.hpp"
#include "core/learners/fearnet/router.hpp"
#include "core/nn/network.hpp"
#include "fearnet/progress.hpp"

namespace fearnet {

class NetworkRouter final : public Router {
  public:
    // Trains the network to separate the rows of the recent memory from pseudo-examples of the classes that
    // are only in the long-term memory; there must be at least one. Standardization of the inputs becomes
    // part of the weights.
    NetworkRouter(const Hippocampus& recent, const PrefrontalCortex& consolidated,
                  const FearNetOptions& options, Rng rng, const Progress& progress);
    explicit NetworkRouter(const State& state);

    std::vector<double> logits(MatrixView input) const override;
    void shift(double offset) override { network_.head.bias(0, 0) += static_cast<float>(offset); }
    std::size_t width() const override { return network_.inputs(); }
    std::size_t bytes() const override { return network_.bytes(); }
    void save(State& state) const override { network_.save(state, "amygdala.network"); }

  private:
    nn::Network network_;
};

}  // namespace fearnet
