#include "core/learners/kit/evidence.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/gather_rows.hpp"
#include "core/base/parallel.hpp"
#include "core/math/gemm.hpp"
#include "core/math/solve.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kPerThread = 64;
// 1 - a h, the part of the covariance along a row that is left without it, is at least this.
constexpr double kLeastRest = 1e-3;

double dot(const float* a, const float* b, std::size_t n) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
    return sum;
}

// The rows less the mean of all rows, and that mean.
Matrix centered(const Matrix& m, std::vector<float>& center) {
    std::vector<double> sum(m.cols());
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::size_t j = 0; j < m.cols(); ++j) sum[j] += static_cast<double>(m(i, j));
    center.resize(m.cols());
    for (std::size_t j = 0; j < m.cols(); ++j)
        center[j] = static_cast<float>(sum[j] / static_cast<double>(m.rows()));
    Matrix result = m;
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::size_t j = 0; j < m.cols(); ++j) result(i, j) -= center[j];
    return result;
}

double mean_of(const float* v, std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(v[i]);
    return sum / static_cast<double>(n);
}

}  // namespace

// The center cancels: with the mean w and b of the weights and biases, 2 p_k - |z_k|^2 = 2 (score_k - mean
// score) + 2 b + w . c.
Evidence::Evidence(const LinearReadout& readout, const Matrix& means, double unit, double variance)
    : unit_(unit) {
    const std::size_t classes = means.rows(), d = means.cols();
    std::vector<float> center, mean_weight;
    const Matrix z = centered(means, center), weights = centered(readout.weights, mean_weight);
    mean_bias_ = mean_of(readout.bias.data(), classes);
    constant_ = (2 * mean_bias_ + dot(mean_weight.data(), center.data(), d)) / unit;
    norms_.resize(classes);
    for (std::size_t c = 0; c < classes; ++c)
        norms_[c] = static_cast<float>(std::max(0.0, dot(weights.row(c), z.row(c), d) / unit));
    const std::size_t stride = (classes + kBackgroundClasses - 1) / kBackgroundClasses;
    for (std::size_t c = 0; c < classes; c += stride) background_classes_.push_back(c);
    const std::size_t some = background_classes_.size();
    Matrix some_weights, products(classes, some), gram;
    gather_rows(weights, background_classes_, some_weights);
    math::gemm(math::Op::none, z, math::Op::transpose, some_weights, products);
    for (std::size_t i = 0; i < products.size(); ++i) products.data()[i] /= static_cast<float>(unit);
    gather_rows(products, background_classes_, gram);
    for (std::size_t i = 0; i < some; ++i)  // up to rounding it is symmetric
        for (std::size_t j = 0; j < i; ++j) gram(j, i) = gram(i, j) = (gram(i, j) + gram(j, i)) / 2;
    const std::vector<math::Eigenpair> pairs = math::leading_eigenvectors(gram, kBackgroundRank);
    // y' T^-1 y with T = I + z' z / n is |y|^2 - p' (n I + z z')^-1 p; the mean and the variance of r_k over
    // rows z_k + e with e of covariance v I follow from the same eigenvalues.
    background_ = Matrix(pairs.size(), some);
    std::vector<double> shares;
    double mean_loss = 0, variance_loss = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const double e = std::max(0.0, pairs[i].value), n = static_cast<double>(some), share = e / (n + e);
        for (std::size_t j = 0; j < some; ++j)
            background_(i, j) =
                static_cast<float>(static_cast<double>(pairs[i].vector[j]) / std::sqrt(n + e));
        shares.push_back(share);
        mean_loss += variance * share;
        variance_loss += 2 * variance * variance * share * share;
    }
    Matrix projected(classes, pairs.size());
    math::gemm(math::Op::none, products, math::Op::transpose, background_, projected);
    for (std::size_t c = 0; c < classes; ++c) {
        double ground = 0, slope = static_cast<double>(norms_[c]);
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const auto t = static_cast<double>(projected(c, i));
            ground += t * t;
            slope += t * t * (shares[i] - 2);
        }
        const double deviation = std::sqrt(4 * variance * std::max(0.0, slope) + variance_loss);
        peaks_.push_back(static_cast<float>(static_cast<double>(norms_[c]) - ground - mean_loss));
        deviations_.push_back(static_cast<float>(std::max(deviation, 1e-6)));
    }
    mean_peak_ = mean_of(peaks_.data(), classes);
    mean_deviation_ = mean_of(deviations_.data(), classes);
}

std::vector<double> Evidence::ground_of_products(const Matrix& products) const {
    Matrix projected(products.rows(), background_.rows());
    math::gemm(math::Op::none, products, math::Op::transpose, background_, projected);
    std::vector<double> result(products.rows());
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = dot(projected.row(i), projected.row(i), projected.cols());
    return result;
}

Evidence::Background Evidence::background(const Matrix& scores) const {
    Background result{std::vector<double>(scores.rows()), {}};
    Matrix products(scores.rows(), background_.cols());
    parallel_range(scores.rows(), kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double shift = constant_ - 2 * mean_of(scores.row(i), scores.cols()) / unit_;
            result.shift[i] = shift;
            for (std::size_t j = 0; j < products.cols(); ++j) {
                const std::size_t k = background_classes_[j];
                products(i, j) = static_cast<float>(static_cast<double>(scores(i, k)) / unit_ +
                                                    (shift + static_cast<double>(norms_[k])) / 2);
            }
        }
    });
    result.ground = ground_of_products(products);
    return result;
}

std::vector<double> Evidence::best(const Matrix& scores) const {
    const Background b = background(scores);
    std::vector<double> result;
    for (std::size_t i = 0; i < scores.rows(); ++i) {
        const auto most =
            static_cast<double>(*std::max_element(scores.row(i), scores.row(i) + scores.cols()));
        result.push_back(best_standardized(2 * most / unit_ + b.shift[i] - b.ground[i]));
    }
    return result;
}

Matrix Evidence::of_classes(const Matrix& scores) const {
    const Background b = background(scores);
    Matrix result(scores.rows(), scores.cols());
    for (std::size_t i = 0; i < scores.rows(); ++i)
        for (std::size_t k = 0; k < scores.cols(); ++k)
            result(i, k) = static_cast<float>(
                standardized(k, 2 * static_cast<double>(scores(i, k)) / unit_ + b.shift[i] - b.ground[i]));
    return result;
}

// With h = r' W^-1 r, k = 1 / (n_c - 1), a = n_c / ((n_c - 1) n), b = a / (1 - a h) and u_j = r'
// W^-1 (m_j - c), leaving x out adds b (y . r) u_j to the products and b u_j^2 to the squared norms
// (Sherman-Morrison), and moves m_c to m_c - k r. The center stays. h is that of r = x -
// m_c where the covariance has the row.
Evidence::OfRows Evidence::left_out(const LinearReadout& readout, const Matrix& means,
                                    const Rows& rows) const {
    const std::size_t n = rows.x.rows, classes = means.rows(), d = means.cols();
    std::vector<float> center;
    const Matrix z = centered(means, center);
    const Matrix scores = readout.scores(rows.x);
    Matrix u(n, classes), products(n, background_.cols());
    math::gemm(math::Op::none, rows.solved, math::Op::transpose, z, u);
    OfRows result{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
    std::vector<double> most(n);
    parallel_range(n, kPerThread, [&](std::size_t begin, std::size_t end) {
        std::vector<double> p(classes);
        for (std::size_t i = begin; i < end; ++i) {
            const auto c = static_cast<std::size_t>(rows.columns[i]);
            double h = 0, along = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const auto s = static_cast<double>(rows.solved.row(i)[j]),
                           x = static_cast<double>(rows.x.row(i)[j]);
                h += s * static_cast<double>(rows.residuals.row(i)[j]);
                along += s * (x - static_cast<double>(center[j]));
            }
            const double nc = static_cast<double>(rows.counts[c]), k = 1 / (nc - 1),
                         a = rows.in_covariance > 0 ? nc * k / rows.in_covariance : 0,
                         b = a / std::max(1 - a * h, kLeastRest), grow = 1 + b * h;
            const double shift = constant_ - 2 * mean_of(scores.row(i), classes) / unit_;
            most[i] = -1e300;
            for (std::size_t j = 0; j < classes; ++j) {
                const auto uj = static_cast<double>(u(i, j)), norm = static_cast<double>(norms_[j]);
                const double own = j == c ? 1 : 0;
                p[j] = static_cast<double>(scores(i, j)) / unit_ + (shift + norm) / 2 + b * along * uj -
                       own * k * along * grow;
                const double squared = norm + b * uj * uj + own * k * grow * (k * h - 2 * uj),
                             evidence = 2 * p[j] - squared;
                most[i] = std::max(most[i], evidence);
                if (j == c) result.own[i] = evidence;
            }
            for (std::size_t j = 0; j < products.cols(); ++j)
                products(i, j) = static_cast<float>(p[background_classes_[j]]);
        }
    });
    const std::vector<double> ground = ground_of_products(products);
    for (std::size_t i = 0; i < n; ++i) {
        result.best[i] = best_standardized(most[i] - ground[i]);
        result.own_as_best[i] = best_standardized(result.own[i] - ground[i]);
        result.own[i] = standardized(static_cast<std::size_t>(rows.columns[i]), result.own[i] - ground[i]);
    }
    return result;
}

double variance_along_means(const Matrix& means, MatrixView residuals, std::span<const std::int32_t> columns,
                            std::span<const std::int64_t> counts) {
    std::vector<float> center;
    const Matrix z = centered(means, center);
    Matrix along(residuals.rows, means.rows());
    math::gemm(math::Op::none, residuals, math::Op::transpose, z, along);
    double norms = 0, sum = 0;
    for (std::size_t c = 0; c < z.rows(); ++c) norms += dot(z.row(c), z.row(c), z.cols());
    for (std::size_t i = 0; i < along.rows(); ++i) {
        // The mean of n rows is nearer to each of them than their expectation.
        const auto n = static_cast<double>(counts[static_cast<std::size_t>(columns[i])]);
        sum += dot(along.row(i), along.row(i), along.cols()) * n / (n - 1);
    }
    return norms > 0 && residuals.rows > 0 ? sum / norms / static_cast<double>(residuals.rows) : 0;
}

std::size_t Evidence::bytes() const {
    return (norms_.size() + peaks_.size() + deviations_.size()) * sizeof(float) + background_.bytes() +
           background_classes_.size() * sizeof(std::size_t);
}

}  // namespace fearnet
