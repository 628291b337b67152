// Long-term memory: an autoencoder with a softmax head, plus a mean and covariance of the codes of each class, from
// which it draws pseudo-examples. The paper's mPFC. It keeps no example.
#pragma once

#include <vector>

#include "fearnet/base/progress.hpp"
#include "fearnet/base/state.hpp"
#include "fearnet/base/types.hpp"
#include "fearnet/learners/fearnet_options.hpp"
#include "math/moments.hpp"
#include "nn/network.hpp"

namespace fearnet {

class PrefrontalCortex {
  public:
    // Learns the base knowledge from nothing.
    void fit(const LabeledView& base, const FearNetOptions& options, Rng rng, const Progress& progress);

    bool empty() const { return classes_.empty(); }
    // Column j of the probabilities is classes()[j]: in the order they were consolidated.
    const std::vector<ClassId>& classes() const { return classes_; }
    const nn::Network& network() const { return network_; }
    const std::vector<math::Gaussian>& statistics() const { return statistics_; }

    void encode(MatrixView x, Matrix& code) const { network_.encode(x, code); }
    void probabilities_of_codes(MatrixView code, Matrix& p) const { network_.probabilities(code, p); }

    // Puts the parts together again: consolidation works on copies and installs them whole.
    PrefrontalCortex() = default;
    PrefrontalCortex(nn::Network network, std::vector<ClassId> classes, std::vector<math::Gaussian> statistics)
        : network_(std::move(network)), classes_(std::move(classes)), statistics_(std::move(statistics)) {}

    std::size_t network_bytes() const { return network_.bytes(); }
    std::size_t statistics_bytes() const;
    void save(State& state) const;
    static PrefrontalCortex load(const State& state);

  private:
    nn::Network network_;
    std::vector<ClassId> classes_;
    std::vector<math::Gaussian> statistics_;  // of the codes, by column
};

}  // namespace fearnet
