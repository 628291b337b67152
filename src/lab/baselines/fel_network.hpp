// The network of the Fixed Expansion Layer baseline and its training step.
#pragma once

#include <span>
#include <vector>

#include "core/nn/dense.hpp"
#include "lab/baselines/fixed_layer.hpp"

namespace fearnet::lab {

// x -> tanh layer -> fixed layer, of which a few units fire constants -> output weights -> softmax. No output
// bias: it would be shared by all rows. Const functions are thread-safe.
struct FelNetwork {
    nn::Dense hidden;
    FixedLayer fixed;
    FiringRule rule;
    Matrix output;  // fixed units x classes: what a unit that fires adds to the scores is one row

    std::size_t classes() const { return output.cols(); }
    // The units that fire for each row of x.
    std::vector<std::vector<Firing>> firings(MatrixView x) const;
    // n x classes, before softmax.
    Matrix scores(MatrixView x) const;
    // Adds classes with zero weights.
    void grow(std::size_t classes);
};

// Scales and shifts the hidden layer so that over `x` every unit's input has mean 0 and deviation 1.
void standardize_hidden(nn::Dense& hidden, MatrixView x);

// Plain gradient descent on the mean cross-entropy; keeps its workspace between steps.
class FelTrainer {
  public:
    explicit FelTrainer(FelNetwork& network) : network_(network) {}

    // One batch. The output weights change only in the rows of units that fired. For the hidden layer, which
    // learns when its rate is not 0, a unit that fires counts as if it passed its input on. Returns the loss.
    double step(MatrixView x, std::span<const std::int32_t> columns, double rate, double hidden_rate);

  private:
    double score_gradients(std::span<const std::int32_t> columns);
    void hidden_gradients();
    void update_hidden(MatrixView x, double rate);

    FelNetwork& network_;
    Matrix activation_, gradient_, scores_, weight_gradient_;
    std::vector<std::vector<Firing>> firings_;
};

}  // namespace fearnet::lab
