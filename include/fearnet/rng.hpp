// Our own random numbers, so that a seed means the same on every compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fearnet {

// SplitMix64's mixing step: a bijection on 64 bits that scatters neighbouring inputs.
constexpr std::uint64_t mix64(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// xoshiro256++ (Blackman, Vigna 2019), seeded through SplitMix64. Copyable; a copy continues the same
// sequence. Not thread-safe: one per thread, made with `fork`.
class Rng {
  public:
    explicit Rng(std::uint64_t seed = 1);

    std::uint64_t next();
    // Uniform in [0, 1), 53 bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    // Uniform in [0, n), without bias. n > 0.
    std::uint64_t below(std::uint64_t n);
    // Standard normal (polar method).
    double normal();
    void fill_normal(std::span<float> out);

    // A generator of its own for one purpose: depends on this one's seed and `stream`, not on how many
    // numbers were drawn so far.
    Rng fork(std::uint64_t stream) const { return Rng(mix64(seed_ ^ mix64(stream))); }
    std::uint64_t seed() const { return seed_; }

    // Fisher-Yates.
    template <class T>
    void shuffle(std::span<T> items) {
        for (std::size_t i = items.size(); i > 1; --i) {
            const std::size_t j = below(i);
            T held = items[i - 1];
            items[i - 1] = items[j];
            items[j] = held;
        }
    }

  private:
    std::uint64_t seed_;
    std::uint64_t state_[4];
    double spare_ = 0;
    bool has_spare_ = false;
};

}  // namespace fearnet
