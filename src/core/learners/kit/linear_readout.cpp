#include "core/learners/kit/linear_readout.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/math/distances.hpp"
#include "core/math/gemm.hpp"
#include "core/math/gram.hpp"
#include "core/math/solve.hpp"
#include "fearnet/rng.hpp"

namespace fearnet {
namespace {

double dot(const float* a, const float* b, std::size_t n) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
    return sum;
}

// Adds `strength` times the mean diagonal to the diagonal, then solves for every row of `b`, and of `more`,
// each on its own: rounding depends on how many are solved together. Without any variance the matrix says
// nothing: the identity takes its place.
void solve_regularized(Matrix a, double strength, Matrix& b, const char* option, Matrix* more = nullptr) {
    double diagonal = 0;
    for (std::size_t j = 0; j < a.rows(); ++j) diagonal += static_cast<double>(a(j, j));
    diagonal /= static_cast<double>(a.rows());
    if (!(diagonal > 0)) return;
    for (std::size_t j = 0; j < a.rows(); ++j) a(j, j) += static_cast<float>(strength * diagonal);
    const std::string size = std::to_string(a.rows());
    try {
        const math::CholeskyFactor factor(std::move(a));
        factor.solve(b);
        if (more != nullptr && more->rows() > 0) factor.solve(*more);
    } catch (const Error&) {
        throw Error(std::string(option) + " = " + std::to_string(strength) + " is too small for the " + size +
                    " x " + size + " matrix to be inverted; set a larger one");
    }
}

void scale_to_unit_length(float* row, std::size_t n) {
    const float length = std::sqrt(math::squared_norm(row, n));
    for (std::size_t j = 0; length > 0 && j < n; ++j) row[j] /= length;
}

}  // namespace

std::vector<float> distance_bias(const Matrix& weights, const Matrix& means) {
    std::vector<float> bias(means.rows());
    for (std::size_t c = 0; c < means.rows(); ++c)
        bias[c] = static_cast<float>(-0.5 * dot(weights.row(c), means.row(c), means.cols()));
    return bias;
}

Matrix LinearReadout::scores(MatrixView x) const {
    Matrix result;
    result.resize(x.rows, weights.rows());
    math::gemm(math::Op::none, x, math::Op::transpose, weights, result);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t c = 0; c < bias.size(); ++c) result(i, c) += bias[c];
    return result;
}

LinearReadout nearest_mean_readout(const ClassMoments& moments, bool unit_length) {
    LinearReadout readout;
    readout.weights = moments.means;
    for (std::size_t c = 0; unit_length && c < moments.classes(); ++c)
        scale_to_unit_length(readout.weights.row(c), moments.width());
    readout.bias = distance_bias(readout.weights, readout.weights);
    return readout;
}

namespace {

Matrix covariance_of(const ClassMoments& moments) {
    Matrix covariance = moments.scatter;
    const float share = 1.0f / static_cast<float>(moments.rows());
    parallel_range(covariance.size(), 1 << 18, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) covariance.data()[i] *= share;
    });
    return covariance;
}

double mean_diagonal(const Matrix& a) {
    double sum = 0;
    for (std::size_t j = 0; j < a.rows(); ++j) sum += static_cast<double>(a(j, j));
    return sum / static_cast<double>(a.rows());
}

// The rows vary with S less its ridge: in units of S, by 1 - ridge |w|^2 / (w . m) along a mean m with w =
// S^-1 m, both less those of all classes.
double variance_of_taught_rows(const Matrix& weights, const Matrix& means, double ridge) {
    const std::size_t classes = means.rows(), d = means.cols();
    std::vector<double> weight(d), mean(d);
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t j = 0; j < d; ++j) {
            weight[j] += static_cast<double>(weights(c, j)) / static_cast<double>(classes);
            mean[j] += static_cast<double>(means(c, j)) / static_cast<double>(classes);
        }
    double sum = 0, counted = 0;
    for (std::size_t c = 0; c < classes; ++c) {
        double squares = 0, norm = 0;
        for (std::size_t j = 0; j < d; ++j) {
            const double w = static_cast<double>(weights(c, j)) - weight[j];
            squares += w * w;
            norm += w * (static_cast<double>(means(c, j)) - mean[j]);
        }
        if (!(norm > 0)) continue;
        sum += std::clamp(1 - ridge * squares / norm, 0.0, 1.0);
        ++counted;
    }
    return counted > 0 ? sum / counted : 1;
}

}  // namespace

LinearReadout lda_readout(const ClassMoments& moments, double shrinkage) {
    LinearReadout readout;
    readout.weights = moments.means;
    solve_regularized(covariance_of(moments), shrinkage, readout.weights, "lda.shrinkage");
    readout.bias = distance_bias(readout.weights, moments.means);
    return readout;
}

// The effective degrees of freedom are the trace of (S - ridge I) S^-1, with that of S^-1 as the mean of z
// S^-1 z over vectors z of random signs.
LdaSolution lda_solution(const ClassMoments& moments, double shrinkage, Matrix& residuals) {
    constexpr std::size_t kProbes = 16;
    const std::size_t d = moments.width(), n = residuals.rows();
    Matrix covariance = covariance_of(moments);
    const double ridge = shrinkage * mean_diagonal(covariance);
    residuals.resize_rows(n + kProbes);
    Rng rng(1);
    for (std::size_t i = n; i < n + kProbes; ++i)
        for (std::size_t j = 0; j < d; ++j) residuals(i, j) = rng.next() >> 63 ? 1.0f : -1.0f;
    LdaSolution result;
    result.readout.weights = moments.means;
    solve_regularized(std::move(covariance), shrinkage, result.readout.weights, "lda.shrinkage", &residuals);
    result.readout.bias = distance_bias(result.readout.weights, moments.means);
    double trace = 0;
    rng = Rng(1);
    for (std::size_t i = n; i < n + kProbes; ++i)
        for (std::size_t j = 0; j < d; ++j)
            trace += static_cast<double>(rng.next() >> 63 ? residuals(i, j) : -residuals(i, j)) / kProbes;
    residuals.resize_rows(n);
    const double dof = std::clamp(static_cast<double>(d) - ridge * trace, 0.0, static_cast<double>(d)),
                 left = std::max(0.2, 1 - dof / static_cast<double>(moments.rows()));
    result.variance = variance_of_taught_rows(result.readout.weights, moments.means, ridge) / (left * left);
    return result;
}

LeftOut ridge_left_out(const ClassMoments& moments, double lambda, bool intercept, MatrixView rows,
                       std::span<const std::int32_t> columns) {
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
    LeftOut result;
    LinearReadout& readout = result.readout;
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
    const auto centered = [&](std::size_t i, std::size_t j) {
        return static_cast<double>(rows(i, j)) - center[j];
    };
    Matrix solved(rows.rows, d);
    for (std::size_t i = 0; i < rows.rows; ++i)
        for (std::size_t j = 0; j < d; ++j) solved(i, j) = static_cast<float>(centered(i, j));
    solve_regularized(std::move(gram), lambda, readout.weights, "ridge.lambda", &solved);
    readout.bias.resize(classes);
    for (std::size_t c = 0; intercept && c < classes; ++c) {
        double b = static_cast<double>(moments.counts[c]) / n;
        for (std::size_t j = 0; j < d; ++j) b -= static_cast<double>(readout.weights(c, j)) * center[j];
        readout.bias[c] = static_cast<float>(b);
    }
    // A fitted value takes the share h of its own target: without the row it is (value - h target) / (1 - h).
    constexpr double kMostLeverage = 0.99;
    if (rows.rows == 0) return result;
    result.scores = readout.scores(rows);
    for (std::size_t i = 0; i < rows.rows; ++i) {
        double h = intercept ? 1 / n : 0;
        for (std::size_t j = 0; j < d; ++j) h += centered(i, j) * static_cast<double>(solved(i, j)) / n;
        h = std::clamp(h, 0.0, kMostLeverage);
        for (std::size_t c = 0; c < classes; ++c) {
            const double target = c == static_cast<std::size_t>(columns[i]) ? 1 : 0;
            result.scores(i, c) =
                static_cast<float>((static_cast<double>(result.scores(i, c)) - h * target) / (1 - h));
        }
    }
    return result;
}

LinearReadout ridge_readout(const ClassMoments& moments, double lambda, bool intercept) {
    return ridge_left_out(moments, lambda, intercept, MatrixView(nullptr, 0, moments.width()), {}).readout;
}

Matrix nearest_mean_left_out(const ClassMoments& moments, bool unit_length, const LinearReadout& readout,
                             MatrixView rows, std::span<const std::int32_t> columns) {
    Matrix scores = readout.scores(rows);
    std::vector<float> mean(moments.width());
    for (std::size_t i = 0; i < rows.rows; ++i) {
        const auto c = static_cast<std::size_t>(columns[i]);
        const auto n = static_cast<float>(moments.counts[c]);
        for (std::size_t j = 0; j < mean.size(); ++j)
            mean[j] = moments.means(c, j) - (rows(i, j) - moments.means(c, j)) / (n - 1);
        if (unit_length) scale_to_unit_length(mean.data(), mean.size());
        scores(i, c) = static_cast<float>(dot(mean.data(), rows.row(i), mean.size()) -
                                          0.5 * dot(mean.data(), mean.data(), mean.size()));
    }
    return scores;
}

double score_unit(const LinearReadout& readout, const ClassMoments& moments) {
    constexpr std::size_t kRows = 64;  // at a time: the scores of all means would be classes x classes
    const std::size_t rows = moments.classes();
    const auto classes = static_cast<double>(rows);
    double unit = 0;
    for (std::size_t first = 0; first < rows; first += kRows) {
        const MatrixView means(moments.means);
        const Matrix scores = readout.scores(means.slice(first, std::min(kRows, rows - first)));
        for (std::size_t i = 0; i < scores.rows(); ++i)
            for (std::size_t k = 0; k < scores.cols(); ++k)
                unit += (static_cast<double>(scores(i, first + i)) - static_cast<double>(scores(i, k))) /
                        classes / classes;
    }
    return unit > 0 && std::isfinite(unit) ? unit : 1;
}

}  // namespace fearnet
