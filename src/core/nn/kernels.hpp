// Everything of a training step that is not a matrix product: one pass over memory each, no allocation.
//
// Dropout is by position: unit i of a batch is dropped when scatter(key, i) falls below the threshold, so
// that the backward pass draws the same mask again instead of reading it back. Kept units are scaled by 1 /
// (1 - rate).
#pragma once

#include <cstdint>
#include <span>

#include "fearnet/matrix.hpp"

namespace fearnet::nn {

struct Dropout {
    std::uint32_t threshold = 0;  // drop when scatter(...) < threshold; 0: keep all
    std::uint32_t key = 0;
    float scale = 1;
    static Dropout with(double rate, std::uint64_t key);
};

// Bias gradients and losses are summed in this many fixed parts of the batch, so that they do not depend on
// the number of threads.
inline constexpr std::size_t kParts = 8;

// z += bias; then activation = elu(z), and output = activation after dropout. `activation` may alias z;
// without dropout `output` may alias it too.
void bias_elu_dropout(MutableMatrixView z, MatrixView bias, const Dropout& dropout,
                      MutableMatrixView activation, MutableMatrixView output);

// In: `gradient` with respect to the output (after dropout) and, when `extra` has rows, a gradient with
// respect to the activation itself. Out: `gradient` with respect to z, and its column sums in bias_gradient
// (1 x cols). `parts` is scratch of kParts x cols.
void elu_dropout_backward(MutableMatrixView gradient, MatrixView activation, MatrixView extra,
                          const Dropout& dropout, MutableMatrixView bias_gradient, MutableMatrixView parts);

// The output layer of an autoencoder: prediction = z + bias, loss = weight * mean((prediction - target)^2)
// over all units of the batch. Out: z holds the gradient, bias_gradient its column sums. Returns the loss.
double linear_squared_error(MutableMatrixView z, MatrixView bias, MatrixView target, double weight,
                            MutableMatrixView bias_gradient, MutableMatrixView parts);

// loss = weight * mean((a - b)^2). Out: a_gradient, and its negative in b_gradient. Returns the loss.
double squared_difference(MatrixView a, MatrixView b, double weight, MutableMatrixView a_gradient,
                          MutableMatrixView b_gradient);

// labels[i] >= 0: the class of row i. labels[i] < 0: row i of `soft` holds its target probabilities.
// In: z without bias. Out: z holds the gradient of the mean cross-entropy, bias_gradient its column sums.
// Returns the loss.
double softmax_cross_entropy(MutableMatrixView z, MatrixView bias, std::span<const std::int32_t> labels,
                             MatrixView soft, MutableMatrixView bias_gradient, MutableMatrixView parts);

// One output unit, labels 0 or 1: the gradient of the mean binary cross-entropy.
double logistic_cross_entropy(MutableMatrixView z, MatrixView bias, std::span<const std::int32_t> labels,
                              MutableMatrixView bias_gradient, MutableMatrixView parts);

// Independent output units: the mean binary cross-entropy over all units of the batch. Units 0 .. soft.cols -
// 1 of row i have the targets soft(i, .) in [0, 1]; of the others, unit labels[i] has target 1 and the rest
// 0. In: z without bias. Out: z holds the gradient, bias_gradient its column sums. Returns the loss.
double sigmoid_cross_entropy(MutableMatrixView z, MatrixView bias, std::span<const std::int32_t> labels,
                             MatrixView soft, MutableMatrixView bias_gradient, MutableMatrixView parts);

// z = z + bias; z = softmax(z) by rows.
void bias_softmax(MutableMatrixView z, MatrixView bias);
// z = z + bias; z = 1 / (1 + exp(-z)) by units.
void bias_sigmoid(MutableMatrixView z, MatrixView bias);
void add_bias(MutableMatrixView z, MatrixView bias);
double logistic(double x);

}  // namespace fearnet::nn
