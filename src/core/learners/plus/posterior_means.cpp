#include "core/learners/plus/posterior_means.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/parallel.hpp"
#include "core/math/gemm.hpp"
#include "core/math/solve.hpp"

namespace fearnet {
namespace {

// At least so many to each thread.
constexpr std::size_t kClasses = 16, kColumns = 512;

std::vector<double> mean_row(const Matrix& m) {
    std::vector<double> mean(m.cols());
    parallel_range(m.cols(), kColumns, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = 0; i < m.rows(); ++i)
            for (std::size_t j = begin; j < end; ++j)
                mean[j] += static_cast<double>(m(i, j)) / static_cast<double>(m.rows());
    });
    return mean;
}

Matrix less(const Matrix& m, const std::vector<double>& row) {
    Matrix result;
    result.resize(m.rows(), m.cols());
    parallel_range(m.rows(), kClasses, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < m.cols(); ++j)
                result(i, j) = static_cast<float>(static_cast<double>(m(i, j)) - row[j]);
    });
    return result;
}

double dot(const float* a, const float* b, std::size_t n) {
    return std::inner_product(a, a + n, b, 0.0, std::plus<>(), [](float x, float y) {
        return static_cast<double>(x) * static_cast<double>(y);
    });
}

// Directions in which the means differ by less than this share of where they differ most are rounding.
constexpr double kNegligible = 1e-6;
// A mean that is closer to the center than this share of the average is pulled as if it were that far.
constexpr double kNear = 0.1;

}  // namespace

PosteriorMeans::PosteriorMeans(const ClassMoments& moments, const LinearReadout& lda,
                               const SharedMetric& metric, bool doubted)
    : counts_(moments.counts), center_(mean_row(moments.means)) {
    const std::size_t classes = moments.classes(), d = moments.width();
    const Matrix off = less(moments.means, center_);
    plain_ = less(lda.weights, mean_row(lda.weights));
    lengths_.resize(classes);
    parallel_range(classes, kClasses, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c)
            lengths_[c] = std::max(0.0, dot(off.row(c), plain_.row(c), d));
    });
    if (!doubted || classes < 2 || classes > kMost) return;

    Matrix gram(classes, classes);
    math::gemm(math::Op::none, off, math::Op::transpose, plain_, gram);
    std::vector<math::Eigenpair> pairs = math::largest_eigenvectors(gram, classes - 1);
    const double least = kNegligible * pairs[0].value;
    while (!pairs.empty() && !(pairs.back().value > least)) pairs.pop_back();
    if (pairs.empty()) return;
    Matrix vectors(pairs.size(), classes);
    along_ = Matrix(classes, pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i)
        for (std::size_t c = 0; c < classes; ++c) along_(c, i) = vectors(i, c) = pairs[i].vector[c];
    functions_ = Matrix(pairs.size(), d);
    math::gemm(math::Op::none, vectors, math::Op::none, plain_, functions_);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const double squares = dot(functions_.row(i), functions_.row(i), d);
        directions_.push_back(
            {pairs[i].value, std::clamp(1 - metric.ridge() * squares / pairs[i].value, 0.0, 1.0)});
    }
    freedom_ = metric.freedom();
}

void PosteriorMeans::trusted(double doubt, Matrix& weights, std::vector<double>& lengths) const {
    const std::size_t classes = counts_.size(), d = plain_.cols();
    const auto others = static_cast<double>(classes - 1);
    double rarity = 0;  // 1 / n of an average class
    for (const std::int64_t n : counts_) rarity += 1 / static_cast<double>(n) / static_cast<double>(classes);
    Matrix weighted(classes, directions_.size());
    std::vector<double> sums(classes);
    bool differ = false;
    for (std::size_t i = 0; i < directions_.size(); ++i) {
        const double e = directions_[i].sum, p = doubt * (directions_[i].rows + freedom_ / others),
                     b = std::max(0.0, e / others - p * rarity);
        differ = differ || b > 0;
        const auto trust = [&](double share) { return b > 0 ? b / (b + p * share) : 0; };
        const double v = 1 + b * (1 - trust(rarity));
        for (std::size_t c = 0; c < classes; ++c) {
            const double g = trust(1 / static_cast<double>(counts_[c])),
                         along = static_cast<double>(along_(c, i));
            weighted(c, i) = static_cast<float>(g / v * along);
            sums[c] += g * g * along * along * e / v;
        }
    }
    if (!differ) return;  // as many classes as rows, say: nothing is known of how means vary
    weights = Matrix(classes, d);
    math::gemm(math::Op::none, weighted, math::Op::none, functions_, weights);
    lengths = std::move(sums);
}

LinearReadout PosteriorMeans::readout(double doubt, double pull) const {
    LinearReadout readout;
    readout.weights = plain_;
    std::vector<double> lengths = lengths_;
    if (doubt > 0 && !directions_.empty()) trusted(doubt, readout.weights, lengths);
    const std::size_t classes = counts_.size(), d = plain_.cols();
    double average = 0;
    for (const double l : lengths) average += std::sqrt(l) / static_cast<double>(classes);
    readout.bias.resize(classes);
    parallel_range(classes, kClasses, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            const double length = std::max(std::sqrt(lengths[c]), kNear * average),
                         factor = pull > 0 && length > 0 ? std::pow(average / length, pull) : 1;
            float* w = readout.weights.row(c);
            double at_center = 0;
            for (std::size_t j = 0; j < d; ++j) {
                at_center += static_cast<double>(w[j]) * center_[j];
                w[j] *= static_cast<float>(factor);
            }
            readout.bias[c] = static_cast<float>(factor * (-at_center - 0.5 * (1 - pull) * lengths[c]));
        }
    });
    return readout;
}

}  // namespace fearnet
