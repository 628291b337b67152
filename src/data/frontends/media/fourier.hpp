// The Fourier transform of several signals at once.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace fearnet {

// Transforms of `size` complex numbers, any size; fast if it has small prime factors.
//
// kLanes signals are transformed at once, number by number side by side: the compiler makes vectors of them.
class Fourier {
  public:
    static constexpr std::size_t kLanes = 8;
    struct Values {
        alignas(32) std::array<float, kLanes> real{}, imaginary{};
    };

    explicit Fourier(std::size_t size);

    // Replaces the `size` values by their transforms sum over n of x[n] exp(-2 pi i k n / size); `scratch`
    // has as many values.
    void transform(Values* values, Values* scratch) const;

  private:
    void pass(const Values* from, Values* to, std::size_t radix, std::size_t done) const;

    std::size_t size_;
    std::vector<std::size_t> radices_;        // their product is size_
    std::vector<std::array<float, 2>> turn_;  // cosine and sine of -2 pi k / size
};

}  // namespace fearnet
