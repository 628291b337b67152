// A power of every feature: makes long-tailed non-negative features more Gaussian (Tukey's ladder).
#pragma once

#include <cmath>

#include "fearnet/base/matrix.hpp"

namespace fearnet {

// sign(x) |x|^power, so that negative features are defined too; 1 changes nothing.
inline void power_transform(Matrix& x, double power) {
    if (power == 1) return;
    const auto p = static_cast<float>(power);
    float* v = x.data();
    for (std::size_t i = 0; i < x.size(); ++i) {
        const float size = std::abs(v[i]);
        v[i] = std::copysign(p == 0.5f ? std::sqrt(size) : std::pow(size, p), v[i]);
    }
}

}  // namespace fearnet
