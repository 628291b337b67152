#include "fearnet/rng.hpp"

#include <cmath>

namespace fearnet {

Rng::Rng(std::uint64_t seed) : seed_(seed) {
    for (int i = 0; i < 4; ++i)
        state_[i] = mix64(seed + static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15ull);
}

std::uint64_t Rng::next() {
    const auto rotl = [](std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
    const std::uint64_t result = rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
}

std::uint64_t Rng::below(std::uint64_t n) {
    // Lemire's multiplication method with rejection of the short bucket.
    unsigned __int128 m = static_cast<unsigned __int128>(next()) * n;
    if (static_cast<std::uint64_t>(m) < n) {
        const std::uint64_t threshold = -n % n;
        while (static_cast<std::uint64_t>(m) < threshold) m = static_cast<unsigned __int128>(next()) * n;
    }
    return static_cast<std::uint64_t>(m >> 64);
}

double Rng::normal() {
    if (has_spare_) {
        has_spare_ = false;
        return spare_;
    }
    double u, v, s;
    do {
        u = 2 * uniform() - 1;
        v = 2 * uniform() - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    const double scale = std::sqrt(-2 * std::log(s) / s);
    spare_ = v * scale;
    has_spare_ = true;
    return u * scale;
}

void Rng::fill_normal(std::span<float> out) {
    for (float& value : out) value = static_cast<float>(normal());
}

}  // namespace fearnet
