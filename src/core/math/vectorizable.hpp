// Elementwise functions written so that the compiler turns loops over them into vector code: no branches, no
// calls.
#pragma once

#include <bit>
#include <cstdint>

namespace fearnet::math {

// e^x, relative error below 3e-7 for -87 <= x <= 88; clamped outside. 2^n is put together from bits, the rest
// is the Taylor series on [-ln2/2, ln2/2], where its eighth term is below half a unit in the last place.
inline float exp(float x) {
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    constexpr float kRound =
        12582912.0f;  // 1.5 * 2^23: adding and subtracting it rounds to the nearest integer
    const float n = (x * 1.44269504f + kRound) - kRound;
    const float r =
        (x - n * 0.693145752f) - n * 1.42860677e-6f;  // ln 2 in two parts, the first exact in n * it
    float p = 1.0f / 5040;
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    return p * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

// 32 scattered bits for one (key, index) pair. Random numbers by position need no state: a mask drawn in the
// forward pass is drawn again in the backward pass, on any thread.
inline std::uint32_t scatter(std::uint32_t key, std::uint32_t index) {
    std::uint32_t h = index * 0x9e3779b1u + key;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

}  // namespace fearnet::math
