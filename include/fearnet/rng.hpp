// Random numbers that are the same for the same seed with every compiler and standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fearnet {

// The mixing step of SplitMix64: a bijection on 64 bits, used as a hash.
constexpr std::uint64_t mix64(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// The generator xoshiro256++ (Blackman and Vigna, 2019), seeded through SplitMix64. A copy continues the same
// sequence. Not thread-safe; give each thread its own generator, made with fork.
class Rng {
  public:
    explicit Rng(std::uint64_t seed = 1);

    // 64 random bits.
    std::uint64_t next();
    // Uniform in [0, 1), with 53 random bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    // Uniform in 0 .. n - 1, without modulo bias. n > 0.
    std::uint64_t below(std::uint64_t n);
    // Standard normal (polar method).
    double normal();
    // Fills `out` with standard normal numbers.
    void fill_normal(std::span<float> out);

    // An independent generator. It depends on this generator's seed and on `stream`, not on how many numbers
    // have been drawn.
    Rng fork(std::uint64_t stream) const { return Rng(mix64(seed_ ^ mix64(stream))); }
    std::uint64_t seed() const { return seed_; }

    // Shuffles in place (Fisher-Yates).
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
