// A power of every feature: makes long-tailed non-negative features more Gaussian (Tukey's ladder).
#pragma once

#include <cmath>

#include "fearnet/matrix.hpp"

namespace fearnet {

// sign(x) |x|^0.5
inline float signed_root(float x) {
    return std::copysign(std::sqrt(std::abs(x)), x);
}

// sign(x) |x|^power, so that negative features are defined too; 1 changes nothing.
inline void power_transform(Matrix& x, double power) {
    if (power == 1) return;
    const auto p = static_cast<float>(power);
    float* v = x.data();
    for (std::size_t i = 0; i < x.size(); ++i) {
        v[i] = p == 0.5f ? signed_root(v[i]) : std::copysign(std::pow(std::abs(v[i]), p), v[i]);
    }
}

}  // namespace fearnet
