#include "learners/fearnet_plus/posterior_means.hpp"

#include <algorithm>

#include "math/gemm.hpp"
#include "math/solve.hpp"

namespace fearnet {
namespace {

std::vector<double> mean_row(const Matrix& m) {
    std::vector<double> mean(m.cols());
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::size_t j = 0; j < m.cols(); ++j)
            mean[j] += static_cast<double>(m(i, j)) / static_cast<double>(m.rows());
    return mean;
}

Matrix less(const Matrix& m, const std::vector<double>& row) {
    Matrix result(m.rows(), m.cols());
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::size_t j = 0; j < m.cols(); ++j)
            result(i, j) = static_cast<float>(static_cast<double>(m(i, j)) - row[j]);
    return result;
}

// Directions in which the means differ by less than this share of where they differ most are rounding.
constexpr double kNegligible = 1e-6;

}  // namespace

LinearReadout posterior_readout(const ClassMoments& moments, const LinearReadout& lda, double ridge,
                                double doubt) {
    const std::size_t classes = moments.classes(), d = moments.width();
    if (classes < 2 || classes > kMostPosterior || !(doubt > 0)) return lda;
    const std::vector<double> center = mean_row(moments.means);
    const Matrix off = less(moments.means, center), solved = less(lda.weights, mean_row(lda.weights));
    Matrix gram(classes, classes);
    math::gemm(math::Op::none, off, math::Op::transpose, solved, gram);
    double rarity = 0;  // 1 / n of an average class
    for (const std::int64_t n : moments.counts)
        rarity += 1 / static_cast<double>(n) / static_cast<double>(classes);

    std::vector<math::Eigenpair> pairs = math::largest_eigenvectors(gram, classes - 1);
    const double least = kNegligible * pairs[0].value;
    while (!pairs.empty() && !(pairs.back().value > least)) pairs.pop_back();
    if (pairs.empty()) return lda;
    // The directions as functions of the features, of length one in units of the shared covariance.
    Matrix vectors(pairs.size(), classes), functions(pairs.size(), d);
    for (std::size_t i = 0; i < pairs.size(); ++i)
        for (std::size_t c = 0; c < classes; ++c) vectors(i, c) = pairs[i].vector[c];
    math::gemm(math::Op::none, vectors, math::Op::none, solved, functions);

    Matrix weighted(classes, pairs.size());
    std::vector<double> lengths(classes);
    bool differ = false;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const double e = pairs[i].value;
        double squares = 0;
        for (std::size_t j = 0; j < d; ++j)
            squares += static_cast<double>(functions(i, j)) * static_cast<double>(functions(i, j));
        const double p = doubt * std::clamp(1 - ridge * squares / e, 0.0, 1.0);
        const double b = std::max(0.0, e / static_cast<double>(classes - 1) - p * rarity);
        differ = differ || b > 0;
        const auto trust = [&](double share) { return b > 0 ? b / (b + p * share) : 0; };
        const double v = 1 + b * (1 - trust(rarity));
        for (std::size_t c = 0; c < classes; ++c) {
            const double g = trust(1 / static_cast<double>(moments.counts[c])),
                         along = static_cast<double>(pairs[i].vector[c]);
            weighted(c, i) = static_cast<float>(g / v * along);
            lengths[c] += g * g * along * along * e / v;
        }
    }
    if (!differ) return lda;  // as many classes as rows, say: nothing is known of how means vary
    LinearReadout readout;
    readout.weights = Matrix(classes, d);
    math::gemm(math::Op::none, weighted, math::Op::none, functions, readout.weights);
    for (std::size_t c = 0; c < classes; ++c) {
        double at_center = 0;
        for (std::size_t j = 0; j < d; ++j)
            at_center += static_cast<double>(readout.weights(c, j)) * center[j];
        readout.bias.push_back(static_cast<float>(-at_center - 0.5 * lengths[c]));
    }
    return readout;
}

}  // namespace fearnet
