#include "lab/baselines/fixed_layer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace fearnet::lab {

FiringRule firing_rule(std::size_t units, double share, float high, float low) {
    const auto each = static_cast<std::size_t>(std::llround(share * static_cast<double>(units) / 2));
    FiringRule rule;
    rule.highs = std::clamp<std::size_t>(each, 1, units);
    rule.lows = std::min(std::max<std::size_t>(each, 1), units - rule.highs);
    rule.high = high, rule.low = low;
    return rule;
}

void fire(std::span<const float> inputs, const FiringRule& rule, std::vector<float>& scratch,
          std::vector<Firing>& out) {
    scratch.assign(inputs.begin(), inputs.end());
    const auto high_at = scratch.begin() + static_cast<std::ptrdiff_t>(rule.highs) - 1;
    std::nth_element(scratch.begin(), high_at, scratch.end(), std::greater<>());
    const float high_limit = *high_at;
    float low_limit = 0;
    if (rule.lows > 0) {
        const auto low_at = scratch.end() - static_cast<std::ptrdiff_t>(rule.lows);
        std::nth_element(high_at + 1, low_at, scratch.end(), std::greater<>());
        low_limit = *low_at;
    }
    // Of the units equal to a limit, only as many as are missing fire: the first ones high, the last ones
    // low.
    std::size_t above = 0, below = 0, at_low = 0;
    for (const float v : inputs) above += v > high_limit, below += v < low_limit, at_low += v == low_limit;
    std::size_t equal_high = rule.highs - above;
    std::size_t silent_low = rule.lows > 0 ? at_low - (rule.lows - below) : 0;
    for (std::size_t u = 0; u < inputs.size(); ++u) {
        const float v = inputs[u];
        const bool high = v > high_limit || (v == high_limit && equal_high > 0);
        bool low = rule.lows > 0 && v <= low_limit;
        if (v == high_limit && high) --equal_high;
        if (low && v == low_limit && silent_low > 0) --silent_low, low = false;
        if (high || low) out.push_back({static_cast<std::uint32_t>(u), high ? rule.high : rule.low});
    }
}

FixedLayer::FixedLayer(std::size_t inputs, std::size_t units, std::size_t connections, Rng rng)
    : inputs_(inputs), connections_(std::min(connections, inputs)) {
    w_ = static_cast<float>(1 / std::sqrt(static_cast<double>(connections_)));
    wires_.reserve(units * connections_);
    std::vector<std::uint32_t> order(inputs);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t u = 0; u < units; ++u)
        for (std::size_t i = 0; i < connections_; ++i) {
            // The first steps of a shuffle: different hidden units.
            std::swap(order[i], order[i + rng.below(inputs - i)]);
            wires_.push_back(2 * order[i] + static_cast<std::uint32_t>(rng.below(2)));
        }
}

void FixedLayer::forward(const float* hidden, float* out) const {
    const Wire* wire = wires_.data();
    const float signs[2] = {w_, -w_};  // no branch on what is random
    for (std::size_t u = 0; u < units(); ++u) {
        float sum = 0;
        for (std::size_t i = 0; i < connections_; ++i, ++wire) sum += signs[*wire % 2] * hidden[*wire / 2];
        out[u] = sum;
    }
}

void FixedLayer::backward(std::size_t unit, float d, float* gradient) const {
    const Wire* wire = wires_.data() + unit * connections_;
    for (std::size_t i = 0; i < connections_; ++i) gradient[wire[i] / 2] += wire[i] % 2 ? -w_ * d : w_ * d;
}

float FixedLayer::weight(std::size_t input, std::size_t unit) const {
    for (std::size_t i = 0; i < connections_; ++i) {
        const Wire wire = wires_[unit * connections_ + i];
        if (wire / 2 == input) return wire % 2 ? -w_ : w_;
    }
    return 0;
}

std::size_t fixed_units(std::size_t hidden, std::size_t max_classes) {
    return (hidden * hidden + hidden * max_classes) / max_classes;
}

std::size_t fel_table_bytes(std::size_t inputs, std::size_t hidden, std::size_t units, std::size_t classes) {
    return sizeof(float) * (inputs * hidden + hidden * units + units * classes);
}

}  // namespace fearnet::lab
