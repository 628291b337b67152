// A fully connected layer: its numbers and nothing else.
#pragma once

#include "fearnet/matrix.hpp"
#include "fearnet/rng.hpp"

namespace fearnet::nn {

// z = x . weight + bias
struct Dense {
    Matrix weight;  // inputs x outputs
    Matrix bias;    // 1 x outputs

    std::size_t inputs() const { return weight.rows(); }
    std::size_t outputs() const { return weight.cols(); }
    std::size_t bytes() const { return weight.bytes() + bias.bytes(); }
};

// Xavier (Glorot) uniform weights, every bias at `bias`.
Dense make_dense(std::size_t inputs, std::size_t outputs, float bias, Rng& rng);

// Adds outputs; the old ones keep their numbers. New weights are drawn as for a layer of the new size.
void grow_outputs(Dense& layer, std::size_t outputs, float bias, Rng& rng);

// Removes one output; the others keep their numbers and order.
void drop_output(Dense& layer, std::size_t output);

}  // namespace fearnet::nn
