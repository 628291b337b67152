#include "lab/baselines/low_rank_gaussian.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/math/distances.hpp"
#include "core/math/gemm.hpp"
#include "core/math/solve.hpp"
#include "fearnet/error.hpp"

namespace fearnet::lab {
namespace {

// Takes over the rows as the factor, or their directions of largest variance when there are too many.
void set_factor(LowRankCovariance& c, Matrix rows, std::size_t max_rank) {
    const std::size_t d = rows.cols();
    if (rows.rows() <= (max_rank > 0 ? std::min(max_rank, d) : d)) {
        c.factor = std::move(rows);
        return;
    }
    double left_out = 0;
    c.factor = math::compressed_factor(rows, max_rank, left_out);
    c.rest += left_out / static_cast<double>(d);
}

// The same, of so many rows that a whole decomposition is too slow: the first directions to about four
// digits.
void set_leading_factor(LowRankCovariance& c, const Matrix& rows, std::size_t max_rank) {
    const bool wide = rows.rows() < rows.cols();
    const std::size_t n = std::min(rows.rows(), rows.cols());
    Matrix product(n, n);
    if (wide)
        math::gemm(math::Op::none, rows, math::Op::transpose, rows, product);
    else
        math::gemm(math::Op::transpose, rows, math::Op::none, rows, product);
    double left_out = 0;
    for (std::size_t j = 0; j < n; ++j) left_out += static_cast<double>(product(j, j));
    const std::vector<math::Eigenpair> pairs = math::leading_eigenvectors(product, max_rank);
    Matrix top(pairs.size(), n);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const double value = std::max(0.0, pairs[k].value);
        left_out -= value;
        const auto scale = static_cast<float>(wide ? 1 : std::sqrt(value));
        for (std::size_t j = 0; j < n; ++j) top(k, j) = scale * pairs[k].vector[j];
    }
    c.rest += std::max(0.0, left_out) / static_cast<double>(rows.cols());
    if (!wide) {
        c.factor = std::move(top);
        return;
    }
    c.factor = Matrix(top.rows(), rows.cols());
    math::gemm(math::Op::none, top, math::Op::none, rows, c.factor);
}

void copy_scaled(const Matrix& from, double scale, Matrix& to, std::size_t at) {
    for (std::size_t i = 0; i < from.size(); ++i)
        to.row(at)[i] = static_cast<float>(scale * static_cast<double>(from.data()[i]));
}

struct Averages {
    double variance = 0, covariance = 0;
};
// Of the entries of factor^T . factor.
Averages average_entries(const Matrix& factor) {
    double squares = 0, sums = 0;
    for (std::size_t k = 0; k < factor.rows(); ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < factor.cols(); ++j) {
            const double f = static_cast<double>(factor(k, j));
            sum += f, squares += f * f;
        }
        sums += sum * sum;
    }
    const double d = static_cast<double>(factor.cols());
    return {squares / d, d > 1 ? (sums - squares) / (d * (d - 1)) : 0};
}

}  // namespace

LowRankCovariance low_rank_covariance(MatrixView rows, std::size_t max_rank) {
    LowRankCovariance c;
    const std::size_t n = rows.rows, d = rows.cols;
    c.count = static_cast<std::int64_t>(n);
    c.mean = Matrix(1, d);
    c.factor.resize(0, d);
    std::vector<double> mean(d);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j)
            mean[j] += static_cast<double>(rows(i, j)) / static_cast<double>(n);
    for (std::size_t j = 0; j < d; ++j) c.mean(0, j) = static_cast<float>(mean[j]);
    if (n == 1) return c;
    Matrix centered(n, d);
    const double scale = 1 / std::sqrt(static_cast<double>(n - 1));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j)
            centered(i, j) = static_cast<float>(scale * (static_cast<double>(rows(i, j)) - mean[j]));
    set_factor(c, std::move(centered), max_rank);
    return c;
}

LowRankCovariance merged(const LowRankCovariance& a, const LowRankCovariance& b, std::size_t max_rank) {
    const std::size_t d = a.mean.cols();
    const double na = static_cast<double>(a.count), nb = static_cast<double>(b.count), n = na + nb;
    LowRankCovariance c;
    c.count = a.count + b.count;
    c.mean = Matrix(1, d);
    c.rest = ((na - 1) * a.rest + (nb - 1) * b.rest) / (n - 1);
    Matrix rows(a.factor.rows() + b.factor.rows() + 1, d);
    copy_scaled(a.factor, std::sqrt((na - 1) / (n - 1)), rows, 0);
    copy_scaled(b.factor, std::sqrt((nb - 1) / (n - 1)), rows, a.factor.rows());
    const double weight = std::sqrt(na * nb / (n * (n - 1)));
    for (std::size_t j = 0; j < d; ++j) {
        const double step = static_cast<double>(b.mean(0, j)) - static_cast<double>(a.mean(0, j));
        c.mean(0, j) = static_cast<float>(static_cast<double>(a.mean(0, j)) + nb / n * step);
        rows(rows.rows() - 1, j) = static_cast<float>(weight * step);
    }
    set_factor(c, std::move(rows), max_rank);
    return c;
}

LowRankCovariance calibrated(const LowRankCovariance& own, std::span<const WeightedCovariance> others,
                             std::size_t max_rank) {
    LowRankCovariance c;
    c.count = own.count;
    c.mean = own.mean;
    c.rest = own.rest;
    std::size_t directions = own.factor.rows();
    for (const WeightedCovariance& other : others) directions += other.covariance->factor.rows();
    Matrix rows(directions, own.mean.cols());
    copy_scaled(own.factor, 1, rows, 0);
    std::size_t at = own.factor.rows();
    for (const WeightedCovariance& other : others) {
        copy_scaled(other.covariance->factor, std::sqrt(other.weight), rows, at);
        at += other.covariance->factor.rows();
        c.rest += other.weight * other.covariance->rest;
    }
    constexpr std::size_t kManyRows = 1000;
    if (max_rank > 0 && rows.rows() > kManyRows)
        set_leading_factor(c, rows, max_rank);
    else
        set_factor(c, std::move(rows), max_rank);
    return c;
}

MahalanobisDistance::MahalanobisDistance(const LowRankCovariance& c, const CovarianceShrinkage& shrinkage)
    : mean_(c.mean), scale_(1, c.mean.cols()) {
    const std::size_t d = c.mean.cols(), k = c.factor.rows();
    const Averages average = average_entries(c.factor);
    const double variance = average.variance + c.rest;
    std::fill_n(scale_.data(), d, 1.0f);
    whitened_.resize(0, d);
    if (!(variance > 0)) return;
    const double a = shrinkage.gamma1 * variance;
    const double b = std::clamp(shrinkage.gamma2 * average.covariance, 0.0, 0.99 * (a + c.rest));
    floor_ = c.rest + a - b;
    // S = floor I + U U^T with U^T = [factor; sqrt(b) 1^T], so
    // S^-1 = (I - U (floor I + U^T U)^-1 U^T) / floor, and `whitened` is L^-1 U^T for L L^T = floor I + U^T
    // U.
    whitened_ = Matrix(k + 1, d);
    copy_scaled(c.factor, 1, whitened_, 0);
    std::fill_n(whitened_.row(k), d, static_cast<float>(std::sqrt(b)));
    Matrix inner(k + 1, k + 1);
    math::gemm(math::Op::none, whitened_, math::Op::transpose, whitened_, inner);
    for (std::size_t i = 0; i <= k; ++i) inner(i, i) += static_cast<float>(floor_);
    if (!math::whiten(inner, whitened_))
        throw Error("fecam.gamma1 = " + std::to_string(shrinkage.gamma1) +
                    " is too small for a covariance of rank " + std::to_string(k) +
                    " to be inverted; set a larger one");
    if (!shrinkage.correlation) return;
    for (std::size_t j = 0; j < d; ++j) {
        double diagonal = c.rest + a;
        for (std::size_t r = 0; r < k; ++r)
            diagonal += static_cast<double>(c.factor(r, j)) * static_cast<double>(c.factor(r, j));
        scale_(0, j) = static_cast<float>(std::sqrt(diagonal));
    }
}

double MahalanobisDistance::left_out(double distance, std::int64_t count) const {
    // Without a row at mean + r the scatter lacks n / (n - 1) r r^T, and the row is n / (n - 1) r off the
    // mean. By Sherman and Morrison's identity the distance is then divided by 1 - share r^T S^-1 r.
    const auto n = static_cast<double>(count);
    const double share = n / ((n - 1) * (n - 1)),
                 scale = static_cast<double>(math::squared_norm(scale_.data(), scale_.cols())) /
                         static_cast<double>(scale_.cols());
    constexpr double kMaxLeverage = 0.99;
    const double leverage = std::min(kMaxLeverage, share * distance / scale);
    return n / (n - 1) * (n / (n - 1)) * distance / (1 - leverage);
}

void MahalanobisDistance::operator()(MatrixView x, std::span<double> out, Matrix& work,
                                     Matrix& projected) const {
    assert(out.size() == x.rows && x.cols == mean_.cols());
    const std::size_t d = x.cols, k = whitened_.rows();
    work.resize(x.rows, d);
    projected.resize(x.rows, k);
    const float *mean = mean_.data(), *scale = scale_.data();
    parallel_range(x.rows, 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const float* row = x.row(i);
            float* z = work.row(i);
            for (std::size_t j = 0; j < d; ++j) z[j] = scale[j] * (row[j] - mean[j]);
        }
    });
    if (k > 0) math::gemm(math::Op::none, work, math::Op::transpose, whitened_, projected);
    for (std::size_t i = 0; i < x.rows; ++i) {
        const double explained = k > 0 ? static_cast<double>(math::squared_norm(projected.row(i), k)) : 0;
        out[i] = (static_cast<double>(math::squared_norm(work.row(i), d)) - explained) / floor_;
    }
}

}  // namespace fearnet::lab
