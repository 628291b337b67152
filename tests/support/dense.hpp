// Matrices as Eigen's in double precision, for plain versions of equations.
#pragma once

#include <Eigen/Dense>

#include "fearnet/matrix.hpp"
#include "fearnet/rng.hpp"

namespace fearnet::test {

using Dense = Eigen::MatrixXd;

inline Matrix normals(std::size_t rows, std::size_t cols, std::uint64_t seed) {
    Matrix m(rows, cols);
    Rng(seed).fill_normal({m.data(), m.size()});
    return m;
}
inline Dense dense(MatrixView m) {
    Dense result(m.rows, m.cols);
    for (std::size_t i = 0; i < m.rows; ++i)
        for (std::size_t j = 0; j < m.cols; ++j) result(i, j) = static_cast<double>(m(i, j));
    return result;
}
// Of a symmetric matrix whose lower triangle is given.
inline Dense symmetric(MatrixView m) {
    return dense(m).selfadjointView<Eigen::Lower>();
}
inline Matrix matrix(const Dense& m) {
    Matrix result(static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols()));
    for (std::size_t i = 0; i < result.rows(); ++i)
        for (std::size_t j = 0; j < result.cols(); ++j) result(i, j) = static_cast<float>(m(i, j));
    return result;
}

}  // namespace fearnet::test
