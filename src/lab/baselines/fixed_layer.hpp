// The fixed layer of the Fixed Expansion Layer network (Coop, Mishtal, Arel 2013).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/rng.hpp"

namespace fearnet::lab {

// An active unit of the fixed layer and its output.
struct Firing {
    std::uint32_t unit = 0;
    float value = 0;
};

// The `highs` units with the largest inputs and the `lows` units with the smallest inputs fire.
struct FiringRule {
    std::size_t highs = 1, lows = 1;
    float high = 1, low = -1;
};

// Half of `share` of the units each, but at least one high, and no unit twice.
FiringRule firing_rule(std::size_t units, double share, float high, float low);

// Appends the units that fire, ascending by unit. Of equal inputs the first fire high and the last fire low.
// `scratch` is overwritten.
void fire(std::span<const float> inputs, const FiringRule& rule, std::vector<float>& scratch,
          std::vector<Firing>& out);

// Many units, each wired to a few of the hidden layer's with weight +w or -w, w = 1 / sqrt(connections).
// Never trained; it is not saved but generated again from its seed.
class FixedLayer {
  public:
    FixedLayer() = default;
    FixedLayer(std::size_t inputs, std::size_t units, std::size_t connections, Rng rng);

    std::size_t units() const { return connections_ == 0 ? 0 : wires_.size() / connections_; }
    std::size_t inputs() const { return inputs_; }
    std::size_t bytes() const { return wires_.size() * sizeof(Wire); }

    // out[u] = sum of +-w hidden[...]; out has units() numbers.
    void forward(const float* hidden, float* out) const;
    // Backpropagates the gradient `d` with respect to the input of `unit`: adds to `gradient` (inputs()).
    void backward(std::size_t unit, float d, float* gradient) const;
    float weight(std::size_t input, std::size_t unit) const;  // 0 where there is no wire; for tests

  private:
    // Twice the hidden unit's number, plus one when the weight is negative.
    using Wire = std::uint32_t;
    std::size_t inputs_ = 0, connections_ = 0;
    float w_ = 0;
    std::vector<Wire> wires_;  // units x connections
};

// (H^2 + H K) / K, the paper's size of the fixed layer.
std::size_t fixed_units(std::size_t hidden, std::size_t max_classes);

// Bytes as the paper's table counts them: float32 weights of all three layers, the fixed one as a full
// matrix.
std::size_t fel_table_bytes(std::size_t inputs, std::size_t hidden, std::size_t units, std::size_t classes);

}  // namespace fearnet::lab
