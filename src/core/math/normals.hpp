// Many normal numbers at once, by position.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/math/vectorizable.hpp"

namespace fearnet::math {

// log(x) for 0 < x <= 1, absolute error below 2e-7 times its size: exponent from the bits, the rest by the
// series of atanh.
inline float log(float x) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(x);
    const std::int32_t exponent =
        (bits - 0x3f3504f3) >> 23;  // so that the mantissa lies in [1/sqrt 2, sqrt 2)
    const float mantissa = std::bit_cast<float>(bits - (exponent << 23));
    const float s = (mantissa - 1.0f) / (mantissa + 1.0f), s2 = s * s;
    const float series = 1.0f + s2 * (1.0f / 3 + s2 * (1.0f / 5 + s2 * (1.0f / 7 + s2 * (1.0f / 9))));
    return static_cast<float>(exponent) * 0.693147181f + 2.0f * s * series;
}

// sin and cos of x in [-pi, pi], absolute error below 2e-6: Taylor, far enough.
inline float sin(float x) {
    const float y = x * x;
    float p = -1.0f / 1307674368000.0f;
    p = p * y + 1.0f / 6227020800.0f;
    p = p * y - 1.0f / 39916800.0f;
    p = p * y + 1.0f / 362880.0f;
    p = p * y - 1.0f / 5040.0f;
    p = p * y + 1.0f / 120.0f;
    p = p * y - 1.0f / 6.0f;
    return x + x * y * p;
}
inline float cos(float x) {
    const float y = x * x;
    float p = 1.0f / 20922789888000.0f;
    p = p * y - 1.0f / 87178291200.0f;
    p = p * y + 1.0f / 479001600.0f;
    p = p * y - 1.0f / 3628800.0f;
    p = p * y + 1.0f / 40320.0f;
    p = p * y - 1.0f / 720.0f;
    p = p * y + 1.0f / 24.0f;
    p = p * y - 0.5f;
    return p * y + 1.0f;
}

// Box and Muller: out[0 .. 2 * pairs) standard normal; a function of `seed` and `first` (the number of the
// first pair) only.
inline void fill_normals(std::uint64_t seed, std::uint32_t first, std::size_t pairs, float* out) {
    const std::uint32_t key1 = static_cast<std::uint32_t>(seed),
                        key2 = static_cast<std::uint32_t>(seed >> 32);
    constexpr float kUnit = 1.0f / 16777216.0f, kPi = 3.14159265f;
    for (std::size_t i = 0; i < pairs; ++i) {
        const std::uint32_t at = first + static_cast<std::uint32_t>(i);
        const float u =
            (static_cast<float>(static_cast<std::int32_t>(scatter(key1, at) >> 8)) + 0.5f) * kUnit;
        const float v = static_cast<float>(static_cast<std::int32_t>(scatter(key2, at) >> 8)) * kUnit;
        const float radius = std::sqrt(-2.0f * log(u)), angle = kPi * (2.0f * v - 1.0f);
        out[i] = radius * cos(angle);
        out[pairs + i] = radius * sin(angle);
    }
}

}  // namespace fearnet::math
