#include "math/moments.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "math/normals.hpp"

namespace fearnet::math {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Directions below this share of the largest variance are rounding errors of float32.
constexpr float kNegligible = 1e-6f;

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
        result.factor = Matrix(1, rows.cols);
        for (Eigen::Index j = 0; j < d; ++j) result.factor.data()[j] = centered.col(j).norm();
        return result;
    }
    // The smaller of the two products: its eigenvectors give those of the covariance. Eigenvalues come
    // ascending.
    const bool wide = n < d;
    const Eigen::MatrixXf product = wide ? Eigen::MatrixXf(centered * centered.transpose())
                                         : Eigen::MatrixXf(centered.transpose() * centered);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXf> solver(product);
    const Eigen::VectorXf& values = solver.eigenvalues();
    const float floor = std::max(values.tail(1)(0), 0.0f) * kNegligible;
    Eigen::Index rank = 0;
    while (rank < values.size() && values(values.size() - 1 - rank) > floor) ++rank;
    if (max_rank > 0) rank = std::min(rank, static_cast<Eigen::Index>(max_rank));
    result.factor = Matrix(static_cast<std::size_t>(rank), rows.cols);
    Eigen::Map<RowMajor> factor(result.factor.data(), rank, d);
    const auto top = solver.eigenvectors().rightCols(rank);
    if (wide)
        factor = top.transpose() * centered;
    else
        factor = values.tail(rank).cwiseMax(0).cwiseSqrt().asDiagonal() * top.transpose();
    return result;
}

void sample(const Gaussian& gaussian, std::uint64_t seed, float* out) {
    const std::size_t d = gaussian.mean.cols();
    std::copy_n(gaussian.mean.data(), d, out);
    const std::size_t needed = gaussian.diagonal ? d : gaussian.factor.rows();
    constexpr std::size_t kPairs = 64;
    float z[2 * kPairs];
    for (std::size_t first = 0; first < needed; first += 2 * kPairs) {
        const std::size_t n = std::min(2 * kPairs, needed - first);
        fill_normals(seed, static_cast<std::uint32_t>(first / 2), kPairs, z);
        if (gaussian.diagonal) {
            for (std::size_t j = 0; j < n; ++j) out[first + j] += gaussian.factor(0, first + j) * z[j];
            continue;
        }
        std::size_t r = 0;
        for (; r + 4 <= n; r += 4) {  // four directions per pass over `out`
            const float* f0 = gaussian.factor.row(first + r);
            const float *f1 = f0 + d, *f2 = f1 + d, *f3 = f2 + d;
            for (std::size_t j = 0; j < d; ++j)
                out[j] += z[r] * f0[j] + z[r + 1] * f1[j] + z[r + 2] * f2[j] + z[r + 3] * f3[j];
        }
        for (; r < n; ++r)
            for (std::size_t j = 0; j < d; ++j) out[j] += z[r] * gaussian.factor(first + r, j);
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
