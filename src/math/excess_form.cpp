#include "math/excess_form.hpp"

#include <Eigen/Cholesky>
#include <cassert>
#include <cmath>

#include "fearnet/base/error.hpp"

namespace fearnet::math {
namespace {

using Dense = Eigen::MatrixXd;

Dense as_eigen(MatrixView m) {
    Dense result(static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.cols));
    for (std::size_t i = 0; i < m.rows; ++i)
        for (std::size_t j = 0; j < m.cols; ++j)
            result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = static_cast<double>(m(i, j));
    return result;
}

Dense unpacked(std::span<const float> packed, Eigen::Index k) {
    Dense m(k, k);
    std::size_t at = 0;
    for (Eigen::Index i = 0; i < k; ++i)
        for (Eigen::Index j = 0; j <= i; ++j) m(i, j) = m(j, i) = static_cast<double>(packed[at++]);
    return m;
}

}  // namespace

Matrix cholesky(MatrixView a) {
    assert(a.rows == a.cols);
    const Eigen::LLT<Dense> factor(as_eigen(a));
    if (factor.info() != Eigen::Success)
        throw Error("cholesky: the " + std::to_string(a.rows) + " x " + std::to_string(a.cols) +
                    " matrix is not positive definite");
    Matrix l(a.rows, a.cols);
    const Dense lower = factor.matrixL();
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            l(i, j) = static_cast<float>(lower(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
    return l;
}

ExcessForm excess_form(MatrixView factor, std::span<const float> excess, double weight) {
    const auto k = static_cast<Eigen::Index>(factor.rows);
    assert(excess.size() == packed_size(factor.rows) && weight >= 0 && weight <= 1);
    const Dense l = as_eigen(factor);
    const auto lower = l.triangularView<Eigen::Lower>();
    // E in the coordinates where P is the identity: L^-1 E L^-T.
    const Dense half = lower.solve(unpacked(excess, k));
    const Dense e = lower.solve(half.transpose());
    Dense s = 0.5 * weight * e;
    s.diagonal() += (0.5 * weight * e.diagonal()).eval();
    s.diagonal().array() += 1;
    const Eigen::LLT<Dense> inverse(s);
    if (inverse.info() != Eigen::Success)
        throw Error("excess_form: a covariance of " + std::to_string(k) + " directions that is not one");
    ExcessForm result;
    for (Eigen::Index i = 0; i < k; ++i) result.log_determinant += 2 * std::log(inverse.matrixLLT()(i, i));
    Dense q = inverse.solve(Dense::Identity(k, k)) - Dense::Identity(k, k);
    // Back: L^-T Q L^-1.
    const Dense back = lower.transpose().solve(q);
    q = lower.transpose().solve(back.transpose());
    result.form.reserve(excess.size());
    for (Eigen::Index i = 0; i < k; ++i)
        for (Eigen::Index j = 0; j <= i; ++j)
            result.form.push_back(static_cast<float>(0.5 * (q(i, j) + q(j, i))));
    return result;
}

}  // namespace fearnet::math
