#include "core/math/solve.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/parallel.hpp"
#include "core/math/gemm.hpp"
#include "core/math/vectorized.hpp"
#include "fearnet/error.hpp"
#include "fearnet/rng.hpp"

namespace fearnet::math {
namespace {

using ColumnMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic>;
using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<>;
// Row-major memory read column by column is the transpose; for a symmetric matrix that is the same.
using Turned = Eigen::Map<ColumnMajor, 0, Stride>;

Turned turned(MutableMatrixView m) {
    return {m.data, static_cast<Eigen::Index>(m.cols), static_cast<Eigen::Index>(m.rows),
            Stride(static_cast<Eigen::Index>(m.stride))};
}

// Directions below this share of the largest variance are rounding errors of float32.
constexpr double kNegligible = 1e-6;

}  // namespace

bool whiten(MutableMatrixView a, MutableMatrixView b) {
    assert(a.rows == a.cols && b.rows == a.rows);
    Turned matrix = turned(a);
    const Eigen::LLT<Eigen::Ref<ColumnMajor, 0, Stride>> factor(matrix);
    if (factor.info() != Eigen::Success) return false;
    Eigen::Map<RowMajor, 0, Stride> rows(b.data, static_cast<Eigen::Index>(b.rows),
                                         static_cast<Eigen::Index>(b.cols),
                                         Stride(static_cast<Eigen::Index>(b.stride)));
    factor.matrixL().solveInPlace(rows);
    return true;
}

namespace {

// The factor is made in blocks of this size, those of its diagonal in smaller ones; what lies between them
// are matrix products.
constexpr std::size_t kBlock = 128, kSmall = 64;

MutableMatrixView part(MutableMatrixView m, std::size_t row, std::size_t rows, std::size_t col,
                       std::size_t cols) {
    return {m.data + row * m.stride + col, rows, cols, m.stride};
}
MatrixView part(MatrixView m, std::size_t row, std::size_t rows, std::size_t col, std::size_t cols) {
    return {m.data + row * m.stride + col, rows, cols, m.stride};
}
// The Cholesky factor L of a matrix of at most kSmall rows, and the inverse of L, both with zeros above the
// diagonal. False if a pivot is not positive. The loops work on U = L', whose rows are contiguous.
bool factor_small(MatrixView a, MutableMatrixView lower, MutableMatrixView inverse) {
    const std::size_t n = a.rows;
    float u[kSmall][kSmall] = {};
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i; j < n; ++j) u[i][j] = a.row(j)[i];
    bool positive = true;
    vectorized([&] {
        for (std::size_t k = 0; k < n; ++k) {
            const float pivot = u[k][k];
            if (!(pivot > 0) || !(pivot <= std::numeric_limits<float>::max())) {
                positive = false;
                return;
            }
            const float scale = 1 / std::sqrt(pivot);
            for (std::size_t j = k; j < n; ++j) u[k][j] *= scale;
            // Whole vectors of 16 are faster than the exact range; what they change left of the diagonal, and
            // past n, is not read.
            for (std::size_t i = k + 1; i < n; ++i)
                for (std::size_t j = i / 16 * 16; j < kSmall; ++j) u[i][j] -= u[k][i] * u[k][j];
        }
        // Row i of the inverse of L follows from the rows before it.
        for (std::size_t i = 0; i < n; ++i) {
            float* out = inverse.row(i);
            std::fill_n(out, n, 0.0f);
            for (std::size_t k = 0; k < i; ++k) {
                const float factor = u[k][i];
                const float* before = inverse.row(k);
                for (std::size_t j = 0; j <= k; ++j) out[j] -= factor * before[j];
            }
            const float scale = 1 / u[i][i];
            for (std::size_t j = 0; j < i; ++j) out[j] *= scale;
            out[i] = scale;
        }
    })();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) lower.row(i)[j] = j <= i ? u[j][i] : 0.0f;
    return positive;
}

// off = to - rows . op(factor). What is known comes as one long product, so that every number is written
// once.
void subtract_product(MatrixView to, MatrixView rows, Op op, MatrixView factor, MutableMatrixView off) {
    const bool known = rows.cols > 0;
    if (known) gemm(Op::none, rows, op, factor, off);
    parallel_range(to.rows, 64, vectorized([=](std::size_t begin, std::size_t end) {
                       for (std::size_t i = begin; i < end; ++i) {
                           float* out = off.row(i);
                           const float* in = to.row(i);
                           if (known)
                               for (std::size_t j = 0; j < to.cols; ++j) out[j] = in[j] - out[j];
                           else
                               std::copy_n(in, to.cols, out);
                       }
                   }));
}

// to = (to - rows . op(factor)) . op(inverse), through `scratch`, which has room for it.
void eliminate(MutableMatrixView to, MatrixView rows, Op op, MatrixView factor, const Matrix& inverse,
               Matrix& scratch) {
    const MutableMatrixView off{scratch.data(), to.rows, to.cols};
    subtract_product(to, rows, op, factor, off);
    gemm(Op::none, off, op, inverse, to);
}

// The same of any size: the first rows, what lies below them, and the rest without what those explain.
bool factor_block(MatrixView a, MutableMatrixView lower, MutableMatrixView inverse) {
    if (a.rows <= kSmall) return factor_small(a, lower, inverse);
    const std::size_t n = kSmall, rest = a.rows - n;
    const MutableMatrixView below = part(lower, n, rest, 0, n), inverse_first = part(inverse, 0, n, 0, n),
                            inverse_rest = part(inverse, n, rest, n, rest);
    if (!factor_small(part(a, 0, n, 0, n), part(lower, 0, n, 0, n), inverse_first)) return false;
    gemm(Op::none, part(a, n, rest, 0, n), Op::transpose, inverse_first, below);
    Matrix left(rest, rest), product(rest, n);
    subtract_product(part(a, n, rest, n, rest), below, Op::transpose, below, left);
    if (!factor_block(left, part(lower, n, rest, n, rest), inverse_rest)) return false;
    gemm(Op::none, below, Op::none, inverse_first, product);
    gemm(Op::none, inverse_rest, Op::none, product, part(inverse, n, rest, 0, n));
    for (std::size_t i = 0; i < a.rows; ++i) {
        if (i >= n)
            for (std::size_t j = 0; j < n; ++j) inverse.row(i)[j] *= -1;
        else
            std::fill_n(inverse.row(i) + n, rest, 0.0f), std::fill_n(lower.row(i) + n, rest, 0.0f);
    }
    return true;
}

}  // namespace

// Columns of blocks from left to right, each with all that is known of those before it.
CholeskyFactor::CholeskyFactor(Matrix a) : factor_(std::move(a)) {
    assert(factor_.rows() == factor_.cols());
    const MutableMatrixView m = factor_;
    const std::size_t n = m.rows;
    Matrix scratch(n, std::min(kBlock, n));
    for (std::size_t k = 0; k < n; k += kBlock) {
        const std::size_t size = std::min(kBlock, n - k), next = k + size, rest = n - next;
        // The block on the diagonal and all below it.
        const MutableMatrixView off{scratch.data(), n - k, size};
        subtract_product(part(m, k, n - k, k, size), part(m, k, n - k, 0, k), Op::transpose,
                         part(m, k, size, 0, k), off);
        Matrix inverse(size, size);
        if (!factor_block(off.slice(0, size), part(m, k, size, k, size), inverse))
            throw Error("CholeskyFactor: the " + std::to_string(n) + " x " + std::to_string(n) +
                        " matrix is not positive definite");
        inverses_.push_back(std::move(inverse));
        if (rest > 0)
            gemm(Op::none, off.slice(size, rest), Op::transpose, inverses_.back(),
                 part(m, next, rest, k, size));
    }
}

double CholeskyFactor::least_pivot() const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < factor_.rows(); ++i) {
        const auto root = static_cast<double>(factor_(i, i));
        least = std::min(least, root * root);
    }
    return least;
}

Matrix CholeskyFactor::lower() const {
    Matrix result = factor_;
    for (std::size_t i = 0; i < result.rows(); ++i)
        std::fill(result.row(i) + i + 1, result.row(i) + result.cols(), 0.0f);
    return result;
}

void CholeskyFactor::solve(MutableMatrixView b) const {
    whiten(b);
    unwhiten(b);
}

void CholeskyFactor::whiten(MutableMatrixView b) const {
    assert(b.cols == factor_.rows());
    const MatrixView m = factor_;
    const std::size_t n = m.rows;
    Matrix scratch(b.rows, std::min(kBlock, n));
    for (std::size_t k = 0; k < n; k += kBlock) {
        const std::size_t size = std::min(kBlock, n - k);
        eliminate(part(b, 0, b.rows, k, size), part(MatrixView(b), 0, b.rows, 0, k), Op::transpose,
                  part(m, k, size, 0, k), inverses_[k / kBlock], scratch);
    }
}

void CholeskyFactor::unwhiten(MutableMatrixView b) const {
    assert(b.cols == factor_.rows());
    const MatrixView m = factor_;
    const std::size_t n = m.rows;
    Matrix scratch(b.rows, std::min(kBlock, n));
    for (std::size_t next = n; next > 0;) {
        const std::size_t size = next % kBlock > 0 ? next % kBlock : kBlock, k = next - size, rest = n - next;
        eliminate(part(b, 0, b.rows, k, size), part(MatrixView(b), 0, b.rows, next, rest), Op::none,
                  part(m, next, rest, k, size), inverses_[k / kBlock], scratch);
        next = k;
    }
}

Matrix compressed_factor(MatrixView rows, std::size_t max_rank, double& left_out) {
    const bool wide = rows.rows < rows.cols;
    Matrix product(wide ? rows.rows : rows.cols, wide ? rows.rows : rows.cols);
    if (wide)
        gemm(Op::none, rows, Op::transpose, rows, product);
    else
        gemm(Op::transpose, rows, Op::none, rows, product);
    const Eigen::SelfAdjointEigenSolver<ColumnMajor> solver(turned(product));
    const Eigen::VectorXf& values = solver.eigenvalues();  // ascending
    const Eigen::Index all = values.size();
    const double floor = kNegligible * std::max(0.0, static_cast<double>(all ? values(all - 1) : 0.0f));
    Eigen::Index rank = 0;
    while (rank<all&& static_cast<double>(values(all - 1 - rank))> floor) ++rank;
    if (max_rank > 0) rank = std::min(rank, static_cast<Eigen::Index>(max_rank));
    left_out = 0;
    for (Eigen::Index i = 0; i < all - rank; ++i) left_out += std::max(0.0, static_cast<double>(values(i)));
    // Eigenvectors as rows; those of the small product are turned into those of the large one by `rows`.
    Matrix top(static_cast<std::size_t>(rank), product.rows());
    for (Eigen::Index r = 0; r < rank; ++r) {
        const Eigen::Index at = all - 1 - r;
        const float scale = wide ? 1.0f : std::sqrt(values(at));
        for (Eigen::Index j = 0; j < all; ++j)
            top(static_cast<std::size_t>(r), static_cast<std::size_t>(j)) =
                scale * solver.eigenvectors()(j, at);
    }
    if (!wide) return top;
    Matrix factor(top.rows(), rows.cols);
    gemm(Op::none, top, Op::none, rows, factor);
    return factor;
}

std::vector<Eigenpair> largest_eigenvectors(MatrixView a, std::size_t count) {
    assert(a.rows == a.cols);
    const auto n = static_cast<Eigen::Index>(a.rows);
    Eigen::MatrixXd matrix(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < n; ++j)
            matrix(i, j) = static_cast<double>(a(static_cast<std::size_t>(i), static_cast<std::size_t>(j)));
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
        matrix);  // reads the lower triangle; ascending
    std::vector<Eigenpair> pairs;
    for (Eigen::Index at = n - 1; at >= 0 && pairs.size() < count; --at) {
        Eigenpair pair{solver.eigenvalues()(at), {}};
        for (Eigen::Index j = 0; j < n; ++j)
            pair.vector.push_back(static_cast<float>(solver.eigenvectors()(j, at)));
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

namespace {

// Rows are padded with zeros to whole blocks of this many numbers.
constexpr std::size_t kLanes = 32;

float product(const float* a, const float* b, std::size_t n) {
    float sums[kLanes] = {}, sum = 0;
    for (std::size_t j = 0; j < n; j += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[j + lane] * b[j + lane];
    for (const float s : sums) sum += s;
    return sum;
}

// Gram-Schmidt on the rows; a row that depends on those before it becomes zero.
void make_orthonormal(Matrix& rows) {
    constexpr float kDependent = 1e-5f;
    vectorized([&] {
        const std::size_t n = rows.cols();
        for (std::size_t i = 0; i < rows.rows(); ++i) {
            float* row = rows.row(i);
            const float before = std::sqrt(product(row, row, n));
            for (std::size_t k = 0; k < i; ++k) {
                const float* other = rows.row(k);
                const float share = product(row, other, n);
                for (std::size_t j = 0; j < n; ++j) row[j] -= share * other[j];
            }
            const float norm = std::sqrt(product(row, row, n)),
                        scale = norm > kDependent * before ? 1 / norm : 0;
            for (std::size_t j = 0; j < n; ++j) row[j] *= scale;
        }
    })();
}

// out = rows . a, kTogether rows at a time.
constexpr std::size_t kTogether = 4;
void multiply(const Matrix& rows, const Matrix& a, Matrix& out) {
    vectorized([&] {
        for (std::size_t i = 0; i < rows.rows(); i += kTogether)
            for (std::size_t j = 0; j < a.cols(); j += kLanes) {
                float sums[kTogether][kLanes] = {};
                for (std::size_t k = 0; k < a.rows(); ++k) {
                    const float* from = a.row(k) + j;
                    for (std::size_t r = 0; r < kTogether; ++r) {
                        const float factor = rows(i + r, k);
                        for (std::size_t lane = 0; lane < kLanes; ++lane)
                            sums[r][lane] += factor * from[lane];
                    }
                }
                for (std::size_t r = 0; r < kTogether; ++r) std::copy_n(sums[r], kLanes, out.row(i + r) + j);
            }
    })();
}

}  // namespace

// Loops instead of matrix products: callers have many small matrices, and solve them in parallel.
std::vector<Eigenpair> leading_eigenvectors(MatrixView a, std::size_t count) {
    constexpr std::size_t kSpare = 8;  // more directions than wanted: the last ones are found slowest
    constexpr int kRounds = 10;
    const auto whole = [](std::size_t n, std::size_t part) { return (n + part - 1) / part * part; };
    const std::size_t n = a.rows, k = whole(count + kSpare, kTogether), padded_n = whole(n, kLanes);
    if (n < 2 * k) return largest_eigenvectors(a, count);
    Matrix padded(n, padded_n), basis(k, padded_n), next(k, padded_n), small(k, k);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(a.row(i), n, padded.row(i));
    Rng rng(n);
    for (std::size_t i = 0; i < k; ++i) rng.fill_normal({basis.row(i), n});
    for (int round = 0; round < kRounds; ++round) {
        multiply(basis, padded, next);
        std::swap(basis, next);
        make_orthonormal(basis);
    }
    make_orthonormal(basis);  // what rounding left of the others
    multiply(basis, padded, next);
    for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j < k; ++j) small(i, j) = product(next.row(i), basis.row(j), padded_n);
    std::vector<Eigenpair> pairs = largest_eigenvectors(small, count);
    for (Eigenpair& pair : pairs) {
        std::vector<float> vector(n);
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < n; ++j) vector[j] += pair.vector[i] * basis(i, j);
        pair.vector = std::move(vector);
    }
    return pairs;
}

}  // namespace fearnet::math
