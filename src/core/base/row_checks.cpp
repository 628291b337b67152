#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>

#include "core/base/parallel.hpp"
#include "fearnet/error.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {
namespace {

// Tests the bits of the floats, which the compiler can vectorize.
bool all_finite(std::span<const float> numbers) {
    constexpr std::uint32_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000;
    std::uint32_t largest = 0;
    for (const float x : numbers) largest = std::max(largest, std::bit_cast<std::uint32_t>(x) & kMagnitude);
    return largest < kInfinity;
}

// Squared lengths of rows, each summed in the order of the features. Additions of one sum depend on each
// other, so several rows are summed at once.
constexpr std::size_t kRowsTogether = 8;
std::array<double, kRowsTogether> squared_lengths(const Matrix& x, std::size_t first, std::size_t count) {
    std::array<double, kRowsTogether> sums{};
    std::array<const float*, kRowsTogether> rows{};
    for (std::size_t k = 0; k < kRowsTogether; ++k) rows[k] = x.row(first + std::min(k, count - 1));
    for (std::size_t j = 0; j < x.cols(); ++j)
        for (std::size_t k = 0; k < kRowsTogether; ++k)
            sums[k] += static_cast<double>(rows[k][j]) * static_cast<double>(rows[k][j]);
    return sums;
}

}  // namespace

MatrixView rows(std::span<const float> numbers, std::size_t width) {
    if (width == 0 || numbers.size() % width != 0)
        throw Error("rows: " + std::to_string(numbers.size()) + " numbers are no whole number of rows of " +
                    std::to_string(width) + " features");
    return {numbers.data(), numbers.size() / width, width};
}

void check_finite_rows(MatrixView x, const std::string& where, std::size_t first) {
    constexpr std::size_t kNumbers = 100'000;  // at least so many to each thread
    std::atomic<bool> finite = true;
    parallel_range(x.rows, kNumbers / std::max<std::size_t>(1, x.cols),
                   [&](std::size_t begin, std::size_t end) {
                       for (std::size_t i = begin; i < end && finite; ++i)
                           if (!all_finite(x.row_span(i))) finite = false;
                   });
    if (finite) return;
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.cols; ++j)
            if (!std::isfinite(x(i, j)))
                throw Error(
                    where + ": row " + std::to_string(first + i) + ", column " + std::to_string(j) + " is " +
                    (std::isnan(x(i, j)) ? "NaN (not a number)" : "infinite (or too large for float32)") +
                    "; both are counted from 0");
}

void scale_rows_to_unit_length(Matrix& x) {
    for (std::size_t first = 0; first < x.rows(); first += kRowsTogether) {
        const std::size_t count = std::min(kRowsTogether, x.rows() - first);
        const std::array<double, kRowsTogether> sums = squared_lengths(x, first, count);
        for (std::size_t k = 0; k < count; ++k) {
            if (sums[k] == 0) continue;
            float* row = x.row(first + k);
            const double scale = 1 / std::sqrt(sums[k]);
            for (std::size_t j = 0; j < x.cols(); ++j)
                row[j] = static_cast<float>(static_cast<double>(row[j]) * scale);
        }
    }
}

}  // namespace fearnet
