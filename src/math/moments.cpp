#include "math/moments.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace fearnet::math {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Directions below this share of the largest variance are rounding errors of float32.
constexpr float kNegligible = 1e-6f;

}  // namespace

Gaussian fit_gaussian(MatrixView rows, bool diagonal, std::size_t max_rank) {
    assert(rows.rows > 0);
    const auto n = static_cast<Eigen::Index>(rows.rows), d = static_cast<Eigen::Index>(rows.cols);
    const Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>> x(rows.data, n, d,
                                                               Eigen::OuterStride<>(static_cast<Eigen::Index>(rows.stride)));
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
    // The smaller of the two products: its eigenvectors give those of the covariance. Eigenvalues come ascending.
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

void sample(const Gaussian& gaussian, Rng& rng, float* out) {
    const std::size_t d = gaussian.mean.cols();
    const float* mean = gaussian.mean.data();
    if (gaussian.diagonal) {
        const float* deviation = gaussian.factor.data();
        for (std::size_t j = 0; j < d; ++j) out[j] = mean[j] + deviation[j] * static_cast<float>(rng.normal());
        return;
    }
    std::copy_n(mean, d, out);
    for (std::size_t r = 0; r < gaussian.factor.rows(); ++r) {
        const float z = static_cast<float>(rng.normal());
        const float* direction = gaussian.factor.row(r);
        for (std::size_t j = 0; j < d; ++j) out[j] += z * direction[j];
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
