#include "core/learners/plus/familiarity.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/base/gather_rows.hpp"
#include "core/base/parallel.hpp"
#include "core/math/gemm.hpp"
#include "core/math/solve.hpp"
#include "core/math/vectorized.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kPerThread = 64;
// Classes of lower probability do not change the fit of a row.
constexpr float kLeastProbability = 1e-3f;

Matrix as_matrix(std::span<const float> v) {
    Matrix m(1, v.size());
    std::copy(v.begin(), v.end(), m.data());
    return m;
}

// The p-value that the class of the row is expected to have: that of each class, weighed by its probability.
// `standardized` gives the standardized evidence of a class.
template <class Standardized>
double expected_p_value(const LeftOutSketches& sketches, std::span<const float> probabilities,
                        const Standardized& standardized) {
    double sum = 0, weights = 0;
    for (std::size_t k = 0; k < probabilities.size(); ++k) {
        if (!(probabilities[k] > kLeastProbability)) continue;
        const auto weight = static_cast<double>(probabilities[k]);
        sum += weight * sketches.class_p_value(k, standardized(k));
        weights += weight;
    }
    return weights > 0 ? sum / weights : 1;
}

std::vector<float> as_vector(const Matrix& m) {
    return {m.data(), m.data() + m.size()};
}

}  // namespace

void Familiarity::refit(const LinearDiscriminant& discriminant, bool by_angle, double variance) {
    by_angle_ = by_angle;
    const std::size_t classes = discriminant.means().rows();
    norms_.assign(discriminant.squared_norms().begin(), discriminant.squared_norms().end());
    mean_norm_ = discriminant.mean_norm();
    const std::size_t stride = (classes + kBackgroundClasses - 1) / kBackgroundClasses;
    std::vector<std::size_t> some;
    for (std::size_t c = 0; c < classes; c += stride) some.push_back(c);
    background_classes_.assign(some.begin(), some.end());
    const Matrix products = discriminant.shrunken_products(some);
    Matrix gram;
    gather_rows(products, some, gram);
    // y' T^-1 y with T = I + z' z / n is |y|^2 - p' (n I + z z')^-1 p, p = z y, up to the rank.
    const std::vector<math::Eigenpair> pairs = math::leading_eigenvectors(gram, kBackgroundRank);
    background_ = Matrix(pairs.size(), some.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const double scale = 1 / std::sqrt(static_cast<double>(some.size()) + std::max(0.0, pairs[i].value));
        for (std::size_t j = 0; j < some.size(); ++j)
            background_(i, j) = static_cast<float>(scale * static_cast<double>(pairs[i].vector[j]));
    }
    // Of a row z_c + e with e of covariance `variance` I: r_c is about r_c(z_c) + 2 g . e - |B z e|^2 with
    // g = z_c - z' B' B z z_c, so that its mean and variance follow from the eigenvalues. z_c is the shrunken
    // mean, the expected position of new rows; the mean of the taught rows contains their noise.
    std::vector<double> shares;
    double mean_loss = 0, variance_loss = 0;
    for (const math::Eigenpair& pair : pairs) {
        const double e = std::max(0.0, pair.value), share = e / (static_cast<double>(some.size()) + e);
        shares.push_back(share);
        mean_loss += variance * share;
        variance_loss += 2 * variance * variance * share * share;
    }
    Matrix projected(classes, background_.rows());
    math::gemm(math::Op::none, products, math::Op::transpose, background_, projected);
    peaks_.resize(classes), deviations_.resize(classes);
    for (std::size_t c = 0; c < classes; ++c) {
        double ground = 0, slope = static_cast<double>(norms_[c]);
        for (std::size_t i = 0; i < projected.cols(); ++i) {
            const auto t = static_cast<double>(projected(c, i));
            ground += t * t;
            slope += t * t * (shares[i] - 2);
        }
        const double deviation = std::sqrt(4 * variance * std::max(0.0, slope) + variance_loss);
        peaks_[c] = static_cast<float>(static_cast<double>(norms_[c]) - ground - mean_loss);
        deviations_[c] = static_cast<float>(std::max(deviation, 1e-6));
    }
    sketches_.add({}, {}, classes, {});
}

double Familiarity::product(std::size_t k, double linear_score) const {
    const auto norm = static_cast<double>(norms_[k]);
    return by_angle_ ? linear_score / angle_factor(norm, mean_norm_) : linear_score + norm / 2;
}

// With class covariances the score is a distance already; by angle it is turned into one.
double Familiarity::evidence(std::size_t k, double score, double background) const {
    return (by_angle_ ? 2 * product(k, score) - static_cast<double>(norms_[k]) : 2 * score) - background;
}

double Familiarity::standardized(std::size_t k, double evidence) const {
    return (evidence - static_cast<double>(peaks_[k])) / static_cast<double>(deviations_[k]);
}

std::vector<float> Familiarity::background_of_products(const Matrix& products) const {
    Matrix projected(products.rows(), background_.rows());
    math::gemm(math::Op::none, products, math::Op::transpose, background_, projected);
    std::vector<float> result(products.rows());
    for (std::size_t i = 0; i < result.size(); ++i)
        for (std::size_t j = 0; j < projected.cols(); ++j) result[i] += projected(i, j) * projected(i, j);
    return result;
}

std::vector<float> Familiarity::background(const Matrix& linear) const {
    Matrix products(linear.rows(), background_.cols());
    std::vector<float> scale, shift;
    for (const std::int64_t c : background_classes_) {
        const auto k = static_cast<std::size_t>(c);
        scale.push_back(by_angle_ ? static_cast<float>(product(k, 1)) : 1);
        shift.push_back(static_cast<float>(product(k, 0)));
    }
    parallel_range(products.rows(), kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < products.cols(); ++j)
                products(i, j) =
                    scale[j] * linear(i, static_cast<std::size_t>(background_classes_[j])) + shift[j];
    });
    return background_of_products(products);
}

void Familiarity::add(const LeftOut& rows) {
    const std::size_t n = rows.columns.size(), classes = norms_.size();
    if (n == 0 || far_rows_.empty()) return;  // a brain of an earlier version has none before its next sleep
    Matrix evidence(classes > 1 ? n : 0, classes);  // standardized
    std::vector<double> own;
    if (classes > 1) {
        Matrix products(n, background_.cols());
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < products.cols(); ++k)
                products(i, k) = rows.scores.products(i, static_cast<std::size_t>(background_classes_[k]));
        const std::vector<float> ground = background_of_products(products);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < classes; ++k) {
                double r = 2 * static_cast<double>(rows.scores.products(i, k)) -
                           static_cast<double>(rows.scores.squared_norms(i, k));
                if (rows.covariance_terms) r += 2 * static_cast<double>((*rows.covariance_terms)(i, k));
                evidence(i, k) = static_cast<float>(standardized(k, r - static_cast<double>(ground[i])));
            }
            own.push_back(static_cast<double>(evidence(i, static_cast<std::size_t>(rows.columns[i]))));
        }
    }
    const auto fit = [&](const LeftOutSketches& others, std::size_t i) {
        return expected_p_value(others, rows.probabilities.view().row_span(i),
                                [&](std::size_t k) { return static_cast<double>(evidence(i, k)); });
    };
    sketches_.add({std::move(own),
                   rows.far ? FarRows::left_out(*rows.far, rows.given, rows.columns) : far_rows_(rows.given)},
                  rows.columns, classes, fit);
}

std::vector<double> Familiarity::p_values(const Matrix& scores, const Matrix& probabilities,
                                          std::span<const float> background, MatrixView given) const {
    std::vector<double> result(scores.rows(), 1);
    if (!ready()) return result;
    const std::vector<std::vector<double>> far = far_rows_(given);
    parallel_range(scores.rows(), kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto ground = static_cast<double>(background[i]);
            const double ways[] = {far[0][i], far[1][i]};
            result[i] = sketches_.familiarity(
                expected_p_value(sketches_, probabilities.view().row_span(i),
                                 [&](std::size_t k) {
                                     return standardized(
                                         k, evidence(k, static_cast<double>(scores(i, k)), ground));
                                 }),
                ways);
        }
    });
    return result;
}

Matrix Familiarity::class_p_values(const Matrix& scores, std::span<const float> background) const {
    Matrix result(scores.rows(), scores.cols());
    parallel_range(scores.rows(), kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t k = 0; k < scores.cols(); ++k) {
                const double own = standardized(
                    k, evidence(k, static_cast<double>(scores(i, k)), static_cast<double>(background[i])));
                result(i, k) = static_cast<float>(sketches_.class_p_value(k, own));
            }
    });
    return result;
}

std::size_t Familiarity::bytes(std::size_t classes, std::size_t width) {
    const std::size_t of_class = 4 * sizeof(float) + sizeof(ScoreSketch),
                      of_background = kBackgroundRank * sizeof(float) + sizeof(std::int64_t);
    return classes * of_class + std::min(classes, kBackgroundClasses) * of_background +
           (FarRows::kAxes + 1) * (width + 2) * sizeof(float);
}

void Familiarity::save(State& state) const {
    if (!ready()) return;
    state.set("open.background", background_, ArrayKind::readout);
    state.set("open.background_classes", background_classes_, ArrayKind::readout);
    state.set("open.norms", as_matrix(norms_), ArrayKind::readout);
    state.set("open.peaks", as_matrix(peaks_), ArrayKind::readout);
    state.set("open.deviations", as_matrix(deviations_), ArrayKind::readout);
    state.set("open.numbers", std::vector<double>{mean_norm_, by_angle_ ? 1.0 : 0.0});
    far_rows_.save(state);
    sketches_.save(state);
}

Familiarity Familiarity::load(const State& state, std::size_t classes, std::size_t width) {
    Familiarity f;
    f.sketches_ = LeftOutSketches::load(state, classes, FarRows::kWays);
    if (!f.ready()) return f;
    f.far_rows_ = FarRows::load(state, width);
    const auto row = [&](const char* key) { return as_vector(state.finite(key, 1, classes)); };
    f.norms_ = row("open.norms");
    f.peaks_ = row("open.peaks");
    f.deviations_ = row("open.deviations");
    f.background_classes_ = state.integer("open.background_classes");
    for (const std::int64_t c : f.background_classes_)
        if (c < 0 || c >= static_cast<std::int64_t>(classes))
            throw Error("State: 'open.background_classes' names column " + std::to_string(c) + " of " +
                        std::to_string(classes));
    const std::size_t rank = state.matrix("open.background").rows();
    f.background_ = state.finite("open.background", rank, f.background_classes_.size());
    if (std::any_of(f.norms_.begin(), f.norms_.end(), [](float v) { return v < 0; }))
        throw Error("State: 'open.norms' has a negative number");
    const std::vector<double>& numbers = state.list<double>("open.numbers", 2);
    for (const double v : numbers)
        if (!(std::abs(v) <= 1e15))
            throw Error("State: 'open.numbers' has " + std::to_string(v) + "; it must be from -1e15 to 1e15");
    f.mean_norm_ = numbers[0], f.by_angle_ = numbers[1] > 0;
    if (std::any_of(f.deviations_.begin(), f.deviations_.end(), [](float v) { return !(v > 0); }))
        throw Error("State: 'open.deviations' must be positive");
    return f;
}

}  // namespace fearnet
