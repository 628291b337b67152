// Long-term memory: an autoencoder with a softmax head, plus a mean and covariance of the codes of each
// class, from which it draws pseudo-examples. The paper's mPFC. It keeps no example.
#pragma once

#include <algorithm>
#include <vector>

#include "core/learners/fearnet/training.hpp"
#include "core/math/moments.hpp"
#include "core/nn/network.hpp"
#include "fearnet/fearnet_options.hpp"
#include "fearnet/matrix.hpp"
#include "fearnet/progress.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

// The statistics of one class.
struct ClassStatistics {
    math::Gaussian codes;
    Matrix residual;            // 1 x features: mean of x - decode(encode(x)); no columns when it is not kept
    std::int64_t examples = 0;  // number of examples behind the statistics; not counted in bytes()

    std::size_t bytes() const { return codes.bytes() + residual.bytes(); }
};
// The statistics of the codes of one class, encoded without dropout, and the mean residual of its rows (used
// if residuals are kept).
ClassStatistics class_statistics(MatrixView codes, Matrix residual, const StatisticsOptions& options);
// The statistics of a known class (`old`) after new examples (`fresh`), which weigh `recency` times as much
// as old ones.
ClassStatistics merge(const ClassStatistics& old, const ClassStatistics& fresh,
                      const StatisticsOptions& options);
// 1 x features: mean over the rows of x - reconstruction.
Matrix mean_difference(MatrixView x, MatrixView reconstruction);

class PrefrontalCortex {
  public:
    // Trains the networks on the base session. Throws Error, unchanged, if the memory budget would be
    // exceeded.
    void fit(const LabeledView& base, const FearNetOptions& options, Rng rng, const Progress& progress,
             const TimeLimit& limit = TimeLimit());
    // A copy without one class; empty if it was the only one.
    PrefrontalCortex without(ClassId id) const;

    bool empty() const { return classes_.empty(); }
    bool holds(ClassId id) const { return std::find(classes_.begin(), classes_.end(), id) != classes_.end(); }
    // Column j of the probabilities is classes()[j]: in the order they were consolidated.
    const std::vector<ClassId>& classes() const { return classes_; }
    const nn::Network& network() const { return network_; }
    const std::vector<ClassStatistics>& statistics() const { return statistics_; }

    void encode(MatrixView x, Matrix& code) const { network_.encode(x, code); }
    void probabilities_of_codes(MatrixView code, Matrix& p) const { network_.probabilities(code, p); }

    // Replaces all parts: consolidation works on copies.
    PrefrontalCortex() = default;
    PrefrontalCortex(nn::Network network, std::vector<ClassId> classes,
                     std::vector<ClassStatistics> statistics)
        : network_(std::move(network)), classes_(std::move(classes)), statistics_(std::move(statistics)) {}

    std::size_t network_bytes() const { return network_.bytes(); }
    std::size_t statistics_bytes() const;
    std::size_t bytes() const { return network_bytes() + statistics_bytes(); }
    void save(State& state) const;
    static PrefrontalCortex load(const State& state);

  private:
    nn::Network network_;
    std::vector<ClassId> classes_;
    std::vector<ClassStatistics> statistics_;  // of the codes, by column
};

}  // namespace fearnet
