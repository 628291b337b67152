#include "core/math/moments.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

#include "core/math/normals.hpp"
#include "core/math/solve.hpp"
#include "core/math/vectorized.hpp"

namespace fearnet::math {
namespace {

// 1 x d: roots of the diagonal of rows^T rows.
Matrix deviations(const Matrix& rows) {
    std::vector<double> squares(rows.cols());
    for (std::size_t i = 0; i < rows.rows(); ++i)
        for (std::size_t j = 0; j < rows.cols(); ++j) {
            const auto v = static_cast<double>(rows(i, j));
            squares[j] += v * v;
        }
    Matrix result(1, rows.cols());
    for (std::size_t j = 0; j < rows.cols(); ++j) result(0, j) = static_cast<float>(std::sqrt(squares[j]));
    return result;
}

// rank x d: the eigenvectors of rows^T rows scaled by the roots of their eigenvalues, smallest first.
Matrix factor_of(const Matrix& rows, std::size_t max_rank) {
    double left_out = 0;
    Matrix factor = compressed_factor(rows, max_rank, left_out);
    for (std::size_t i = 0, j = factor.rows(); i + 1 < j; ++i)
        std::swap_ranges(factor.row(i), factor.row(i) + factor.cols(), factor.row(--j));
    return factor;
}

// 1 x d
Matrix mean_of(MatrixView rows) {
    std::vector<double> sum(rows.cols);
    for (std::size_t i = 0; i < rows.rows; ++i)
        for (std::size_t j = 0; j < rows.cols; ++j) sum[j] += static_cast<double>(rows(i, j));
    Matrix mean(1, rows.cols);
    for (std::size_t j = 0; j < rows.cols; ++j)
        mean(0, j) = static_cast<float>(sum[j] / static_cast<double>(rows.rows));
    return mean;
}

// out += z . (four rows of the factor)
void add_four(const Matrix& factor, std::size_t first, const float* z, float* out) {
    const std::size_t d = factor.cols();
    const float *f0 = factor.row(first), *f1 = f0 + d, *f2 = f1 + d, *f3 = f2 + d;
    for (std::size_t j = 0; j < d; ++j) out[j] += z[0] * f0[j] + z[1] * f1[j] + z[2] * f2[j] + z[3] * f3[j];
}

}  // namespace

Gaussian fit_gaussian(MatrixView rows, bool diagonal, std::size_t max_rank) {
    assert(rows.rows > 0);
    Gaussian result;
    result.diagonal = diagonal;
    result.mean = mean_of(rows);
    if (rows.rows == 1) {
        result.factor = Matrix(diagonal ? 1 : 0, rows.cols);
        return result;
    }
    Matrix centered(rows.rows, rows.cols);
    const float root = std::sqrt(static_cast<float>(rows.rows - 1));
    for (std::size_t i = 0; i < rows.rows; ++i)
        for (std::size_t j = 0; j < rows.cols; ++j) centered(i, j) = (rows(i, j) - result.mean(0, j)) / root;
    result.factor = diagonal ? deviations(centered) : factor_of(centered, max_rank);
    return result;
}

Gaussian merge(const Gaussian& a, double weight_a, const Gaussian& b, double weight_b, std::size_t max_rank) {
    assert(a.diagonal == b.diagonal && a.mean.cols() == b.mean.cols());
    const std::size_t d = a.mean.cols();
    const double sum = weight_a + weight_b;
    assert(weight_a > 0 && weight_b > 0 && sum > 1);
    // Sums of squares about a mean add up, with that of the two means about the common one.
    const double share_a = std::max(weight_a - 1, 0.0) / (sum - 1);
    const double share_b = std::max(weight_b - 1, 0.0) / (sum - 1);
    const double share_means = weight_a * weight_b / sum / (sum - 1);
    Gaussian result;
    result.diagonal = a.diagonal;
    result.mean = Matrix(1, d);
    for (std::size_t j = 0; j < d; ++j)
        result.mean(0, j) = static_cast<float>(
            (weight_a * static_cast<double>(a.mean(0, j)) + weight_b * static_cast<double>(b.mean(0, j))) /
            sum);
    Matrix stacked(a.factor.rows() + b.factor.rows() + 1, d);
    std::size_t row = 0;
    for (const auto& [factor, share] : {std::pair{&a.factor, share_a}, std::pair{&b.factor, share_b}})
        for (std::size_t r = 0; r < factor->rows(); ++r, ++row)
            for (std::size_t j = 0; j < d; ++j)
                stacked(row, j) = static_cast<float>(std::sqrt(share)) * (*factor)(r, j);
    for (std::size_t j = 0; j < d; ++j)
        stacked(row, j) = static_cast<float>(std::sqrt(share_means)) * (a.mean(0, j) - b.mean(0, j));
    result.factor = a.diagonal ? deviations(stacked) : factor_of(stacked, max_rank);
    return result;
}

void sample(const Gaussian& gaussian, std::uint64_t seed, float* out) {
    sample(gaussian, {&seed, 1}, {&out, 1});
}

namespace {

constexpr std::size_t kPairs = 64, kRows = 32;  // normal numbers at hand, of so many draws

void sample_some(const Gaussian& gaussian, std::span<const std::uint64_t> seeds,
                 std::span<float* const> out) {
    const std::size_t d = gaussian.mean.cols();
    for (float* row : out) std::copy_n(gaussian.mean.data(), d, row);
    const std::size_t needed = gaussian.diagonal ? d : gaussian.factor.rows();
    float z[kRows][2 * kPairs];
    for (std::size_t first = 0; first < needed; first += 2 * kPairs) {
        const std::size_t n = std::min(2 * kPairs, needed - first);
        for (std::size_t i = 0; i < seeds.size(); ++i)
            fill_normals(seeds[i], static_cast<std::uint32_t>(first / 2), kPairs, z[i]);
        if (gaussian.diagonal) {
            for (std::size_t i = 0; i < seeds.size(); ++i)
                for (std::size_t j = 0; j < n; ++j)
                    out[i][first + j] += gaussian.factor(0, first + j) * z[i][j];
            continue;
        }
        std::size_t r = 0;
        for (; r + 4 <= n; r += 4)  // four directions per pass over a row, all rows while these are at hand
            for (std::size_t i = 0; i < seeds.size(); ++i)
                add_four(gaussian.factor, first + r, z[i] + r, out[i]);
        for (; r < n; ++r)
            for (std::size_t i = 0; i < seeds.size(); ++i)
                for (std::size_t j = 0; j < d; ++j) out[i][j] += z[i][r] * gaussian.factor(first + r, j);
    }
}

}  // namespace

void sample(const Gaussian& gaussian, std::span<const std::uint64_t> seeds, std::span<float* const> out) {
    assert(seeds.size() == out.size());
    for (std::size_t first = 0; first < seeds.size(); first += kRows) {
        const std::size_t n = std::min(kRows, seeds.size() - first);
        vectorized([&] { sample_some(gaussian, seeds.subspan(first, n), out.subspan(first, n)); })();
    }
}

Matrix covariance(const Gaussian& gaussian) {
    const std::size_t d = gaussian.mean.cols();
    Matrix result(d, d);
    for (std::size_t r = 0; r < gaussian.factor.rows(); ++r)
        for (std::size_t i = 0; i < d; ++i) {
            const float a = gaussian.factor(r, i);
            if (gaussian.diagonal)
                result(i, i) = a * a;
            else
                for (std::size_t j = 0; j < d; ++j) result(i, j) += a * gaussian.factor(r, j);
        }
    return result;
}

}  // namespace fearnet::math
