// The network of the Fixed Expansion Layer baseline and its training step.
#pragma once

#include <span>
#include <vector>

#include "core/nn/dense.hpp"
#include "lab/baselines/fixed_layer.hpp"

namespace fearnet::lab {

// x -> tanh layer -> fixed layer, of which a few units are active with a constant output -> output weights ->
// softmax. There is no output bias, since it would be shared by all rows. Const functions are thread-safe.
struct FelNetwork {
    nn::Dense hidden;
    FixedLayer fixed;
    FiringRule rule;
    Matrix output;  // fixed units x classes: row u is added to the scores if unit u is active

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

    // Trains on one batch and returns the loss. Only the output weights of active units change. The gradient
    // of the hidden layer, which learns if its rate is not 0, treats an active unit as the identity.
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
