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
    // Learns to tell the recent memory's rows from pseudo-examples of the consolidated classes that are not
    // among them, of which there is at least one. Scaling of the inputs ends up in the network's own numbers.
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
