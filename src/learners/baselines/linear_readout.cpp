#include "learners/baselines/linear_readout.hpp"

#include <algorithm>
#include <cmath>

#include "math/distances.hpp"
#include "math/gemm.hpp"
#include "math/gram.hpp"
#include "math/solve.hpp"

namespace fearnet {
namespace {

double dot(const float* a, const float* b, std::size_t n) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
    return sum;
}

// Adds `strength` times the mean diagonal to the diagonal, then solves for every row of `b`. Without any
// variance the matrix says nothing: the identity takes its place.
void solve_regularized(Matrix a, double strength, Matrix& b, const char* option) {
    double diagonal = 0;
    for (std::size_t j = 0; j < a.rows(); ++j) diagonal += static_cast<double>(a(j, j));
    diagonal /= static_cast<double>(a.rows());
    if (!(diagonal > 0)) return;
    for (std::size_t j = 0; j < a.rows(); ++j) a(j, j) += static_cast<float>(strength * diagonal);
    const std::string size = std::to_string(a.rows());
    try {
        math::CholeskyFactor(std::move(a)).solve(b);
    } catch (const Error&) {
        throw Error(std::string(option) + " = " + std::to_string(strength) + " is too small for the " + size +
                    " x " + size + " matrix to be inverted; set a larger one");
    }
}

}  // namespace

std::vector<float> distance_bias(const Matrix& weights, const Matrix& means) {
    std::vector<float> bias(means.rows());
    for (std::size_t c = 0; c < means.rows(); ++c)
        bias[c] = static_cast<float>(-0.5 * dot(weights.row(c), means.row(c), means.cols()));
    return bias;
}

Matrix LinearReadout::scores(MatrixView x) const {
    Matrix result(x.rows, weights.rows());
    math::gemm(math::Op::none, x, math::Op::transpose, weights, result);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t c = 0; c < bias.size(); ++c) result(i, c) += bias[c];
    return result;
}

LinearReadout nearest_mean_readout(const ClassMoments& moments, bool unit_length) {
    LinearReadout readout;
    readout.weights = moments.means;
    for (std::size_t c = 0; unit_length && c < moments.classes(); ++c) {
        float* row = readout.weights.row(c);
        const float length = std::sqrt(math::squared_norm(row, moments.width()));
        for (std::size_t j = 0; length > 0 && j < moments.width(); ++j) row[j] /= length;
    }
    readout.bias = distance_bias(readout.weights, readout.weights);
    return readout;
}

LinearReadout lda_readout(const ClassMoments& moments, double shrinkage) {
    Matrix covariance = moments.scatter;
    const float share = 1.0f / static_cast<float>(moments.rows());
    for (std::size_t i = 0; i < covariance.size(); ++i) covariance.data()[i] *= share;
    LinearReadout readout;
    readout.weights = moments.means;
    solve_regularized(std::move(covariance), shrinkage, readout.weights, "lda.shrinkage");
    readout.bias = distance_bias(readout.weights, moments.means);
    return readout;
}

LinearReadout ridge_readout(const ClassMoments& moments, double lambda, bool intercept) {
    const std::size_t classes = moments.classes(), d = moments.width();
    const double n = static_cast<double>(moments.rows());
    std::vector<double> center(d);
    for (std::size_t c = 0; intercept && c < classes; ++c)
        for (std::size_t j = 0; j < d; ++j)
            center[j] +=
                static_cast<double>(moments.counts[c]) / n * static_cast<double>(moments.means(c, j));
    // Gram matrix / n = scatter / n + sum_c share_c (m_c - center)(m_c - center)^T, class sums / n alike: no
    // large numbers are subtracted from each other.
    Matrix gram = moments.scatter;
    for (std::size_t i = 0; i < gram.size(); ++i) gram.data()[i] /= static_cast<float>(n);
    Matrix between(classes, d);
    LinearReadout readout;
    readout.weights = Matrix(classes, d);
    for (std::size_t c = 0; c < classes; ++c) {
        const double share = static_cast<double>(moments.counts[c]) / n;
        for (std::size_t j = 0; j < d; ++j) {
            const double off = static_cast<double>(moments.means(c, j)) - center[j];
            between(c, j) = static_cast<float>(std::sqrt(share) * off);
            readout.weights(c, j) = static_cast<float>(share * off);
        }
    }
    math::add_gram(between, gram);
    solve_regularized(std::move(gram), lambda, readout.weights, "ridge.lambda");
    readout.bias.resize(classes);
    for (std::size_t c = 0; intercept && c < classes; ++c) {
        double b = static_cast<double>(moments.counts[c]) / n;
        for (std::size_t j = 0; j < d; ++j) b -= static_cast<double>(readout.weights(c, j)) * center[j];
        readout.bias[c] = static_cast<float>(b);
    }
    return readout;
}

}  // namespace fearnet
