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

LinearReadout posterior_readout(const ClassMoments& moments, const LinearReadout& lda) {
    const std::size_t classes = moments.classes(), d = moments.width();
    if (classes < 2) return lda;
    const std::vector<double> center = mean_row(moments.means);
    const Matrix off = less(moments.means, center), solved = less(lda.weights, mean_row(lda.weights));
    Matrix gram(classes, classes);
    math::gemm(math::Op::none, off, math::Op::transpose, solved, gram);
    double uncertainty = 0;  // of an average class's mean
    for (const std::int64_t n : moments.counts)
        uncertainty += 1 / static_cast<double>(n) / static_cast<double>(classes);

    const std::vector<math::Eigenpair> pairs = math::largest_eigenvectors(gram, classes - 1);
    // As many rows as classes, say: nothing is known of how means vary.
    if (pairs[0].value / static_cast<double>(classes - 1) <= uncertainty) return lda;
    Matrix weighted(classes, pairs.size()), vectors(classes, pairs.size());
    std::vector<double> lengths(classes);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const double e = pairs[i].value;
        if (!(e > kNegligible * pairs[0].value)) break;
        const double b = std::max(0.0, e / static_cast<double>(classes - 1) - uncertainty);
        const double v = 1 + b * uncertainty / (b + uncertainty + 1e-30);
        for (std::size_t c = 0; c < classes; ++c) {
            const double n = static_cast<double>(moments.counts[c]),
                         along = static_cast<double>(pairs[i].vector[c]);
            const double g = n * b / (n * b + 1);
            weighted(c, i) = static_cast<float>(g / v * along);
            vectors(c, i) = static_cast<float>(along);
            lengths[c] += g * g * along * along * e / v;
        }
    }
    Matrix mixed(classes, classes);
    math::gemm(math::Op::none, weighted, math::Op::transpose, vectors, mixed);
    LinearReadout readout;
    readout.weights = Matrix(classes, d);
    math::gemm(math::Op::none, mixed, math::Op::none, solved, readout.weights);
    for (std::size_t c = 0; c < classes; ++c) {
        double at_center = 0;
        for (std::size_t j = 0; j < d; ++j)
            at_center += static_cast<double>(readout.weights(c, j)) * center[j];
        readout.bias.push_back(static_cast<float>(-at_center - 0.5 * lengths[c]));
    }
    return readout;
}

}  // namespace fearnet
