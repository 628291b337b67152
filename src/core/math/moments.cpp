#include "core/math/moments.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "core/math/normals.hpp"

namespace fearnet::math {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Directions below this share of the largest variance are rounding errors of float32.
constexpr float kNegligible = 1e-6f;

// 1 x d: roots of the diagonal of rows^T rows.
Matrix deviations(const RowMajor& rows) {
    Matrix result(1, static_cast<std::size_t>(rows.cols()));
    for (Eigen::Index j = 0; j < rows.cols(); ++j) result.data()[j] = rows.col(j).norm();
    return result;
}

// rank x d: the eigenvectors of rows^T rows scaled by the roots of their eigenvalues, largest first.
Matrix factor_of(const RowMajor& rows, std::size_t max_rank) {
    const Eigen::Index n = rows.rows(), d = rows.cols();
    // The smaller of the two products: its eigenvectors give those of the covariance. Eigenvalues come
    // ascending.
    const bool wide = n < d;
    const Eigen::MatrixXf product =
        wide ? Eigen::MatrixXf(rows * rows.transpose()) : Eigen::MatrixXf(rows.transpose() * rows);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXf> solver(product);
    const Eigen::VectorXf& values = solver.eigenvalues();
    const float floor = std::max(values.tail(1)(0), 0.0f) * kNegligible;
    Eigen::Index rank = 0;
    while (rank < values.size() && values(values.size() - 1 - rank) > floor) ++rank;
    if (max_rank > 0) rank = std::min(rank, static_cast<Eigen::Index>(max_rank));
    Matrix result(static_cast<std::size_t>(rank), static_cast<std::size_t>(d));
    Eigen::Map<RowMajor> factor(result.data(), rank, d);
    const auto top = solver.eigenvectors().rightCols(rank);
    if (wide)
        factor = top.transpose() * rows;
    else
        factor = values.tail(rank).cwiseMax(0).cwiseSqrt().asDiagonal() * top.transpose();
    return result;
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
    const auto n = static_cast<Eigen::Index>(rows.rows), d = static_cast<Eigen::Index>(rows.cols);
    const Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>> x(
        rows.data, n, d, Eigen::OuterStride<>(static_cast<Eigen::Index>(rows.stride)));
    Gaussian result;
    result.diagonal = diagonal;
    result.mean = Matrix(1, rows.cols);
    const Eigen::RowVectorXf mean = x.cast<double>().colwise().mean().cast<float>();
    std::copy_n(mean.data(), d, result.mean.data());
    if (n == 1) {
        result.factor = Matrix(diagonal ? 1 : 0, rows.cols);
        return result;
    }
    RowMajor centered = (x.rowwise() - mean) / std::sqrt(static_cast<float>(n - 1));
    if (diagonal) {
        result.factor = deviations(centered);
        return result;
    }
    result.factor = factor_of(centered, max_rank);
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
    RowMajor stacked(static_cast<Eigen::Index>(a.factor.rows() + b.factor.rows() + 1),
                     static_cast<Eigen::Index>(d));
    Eigen::Index row = 0;
    for (const auto& [factor, share] : {std::pair{&a.factor, share_a}, std::pair{&b.factor, share_b}})
        for (std::size_t r = 0; r < factor->rows(); ++r, ++row)
            for (std::size_t j = 0; j < d; ++j)
                stacked(row, static_cast<Eigen::Index>(j)) =
                    static_cast<float>(std::sqrt(share)) * (*factor)(r, j);
    for (std::size_t j = 0; j < d; ++j)
        stacked(row, static_cast<Eigen::Index>(j)) =
            static_cast<float>(std::sqrt(share_means)) * (a.mean(0, j) - b.mean(0, j));
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
        sample_some(gaussian, seeds.subspan(first, n), out.subspan(first, n));
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
