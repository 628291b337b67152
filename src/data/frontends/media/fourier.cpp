#include "data/frontends/media/fourier.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fearnet {
namespace {

using Values = Fourier::Values;

// sum += turn * value
void add_turned(Values& sum, const std::array<float, 2>& turn, const Values& value) {
    const float c = turn[0], s = turn[1];
    for (std::size_t l = 0; l < Fourier::kLanes; ++l) {
        sum.real[l] += c * value.real[l] - s * value.imaginary[l];
        sum.imaginary[l] += c * value.imaginary[l] + s * value.real[l];
    }
}

}  // namespace

Fourier::Fourier(std::size_t size) : size_(size), turn_(size) {
    std::size_t left = size;
    for (std::size_t radix = 4; left > 1;) {
        if (left % radix == 0) {
            radices_.push_back(radix);
            left /= radix;
        } else {
            radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2;
        }
    }
    for (std::size_t k = 0; k < size; ++k) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
        turn_[k] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
    }
}

// Stockham's autosort: every pass joins `radix` transforms of `done` values to one of radix * done values.
// `from` holds them interleaved, value k of transform j at from[k * count + j].
void Fourier::pass(const Values* from, Values* to, std::size_t radix, std::size_t done) const {
    const std::size_t after = size_ / (radix * done);
    for (std::size_t k = 0; k < done; ++k)
        for (std::size_t j = 0; j < after; ++j)
            for (std::size_t q = 0; q < radix; ++q) {
                const std::size_t out = k + q * done;
                Values sum{};
                for (std::size_t r = 0; r < radix; ++r)
                    add_turned(sum, turn_[out * r * after % size_], from[(k * radix + r) * after + j]);
                to[out * after + j] = sum;
            }
}

void Fourier::transform(Values* values, Values* scratch) const {
    Values *from = values, *to = scratch;
    std::size_t done = 1;
    for (const std::size_t radix : radices_) {
        pass(from, to, radix, done);
        done *= radix;
        std::swap(from, to);
    }
    if (from != values) std::copy(from, from + size_, values);
}

}  // namespace fearnet
