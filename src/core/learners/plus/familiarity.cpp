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

// The sketch of a class counts as if it had this many rows more, of the sketch of all classes.
constexpr double kSharedRows = 5;
// An axis of the shared covariance must be backed by this many rows.
constexpr std::size_t kRowsPerFarAxis = 8;
constexpr std::size_t kPerThread = 64;

Matrix as_matrix(std::span<const float> v) {
    Matrix m(1, v.size());
    std::copy(v.begin(), v.end(), m.data());
    return m;
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
    mean_peak_ = mean_deviation_ = 0;
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
        mean_peak_ += static_cast<double>(peaks_[c]) / static_cast<double>(classes);
        mean_deviation_ += static_cast<double>(deviations_[c]) / static_cast<double>(classes);
    }
    classes_.resize(classes);
    rows_.resize(classes);
}

// The ridge is the mean diagonal. Far from the axes the variance is its mean there, so that the distance is
// exact on average.
void Familiarity::fit_axes(const ClassMoments& moments) {
    const std::size_t d = moments.width(), classes = moments.classes(),
                      rows = static_cast<std::size_t>(moments.rows()),
                      most = std::min({kFarAxes, d, rows / kRowsPerFarAxis});
    const std::vector<math::Eigenpair> pairs =
        most > 0 ? math::leading_eigenvectors(moments.scatter, most) : std::vector<math::Eigenpair>();
    axes_ = Matrix(pairs.size() + 1, d);
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t j = 0; j < d; ++j)
            axes_(pairs.size(), j) += moments.means(c, j) / static_cast<float>(classes);
    along_.clear();
    double rest = 0;
    for (std::size_t j = 0; j < d; ++j) rest += static_cast<double>(moments.scatter(j, j));
    const double n = static_cast<double>(rows), ridge = rest > 0 ? rest / n / static_cast<double>(d) : 1;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        std::copy(pairs[i].vector.begin(), pairs[i].vector.end(), axes_.row(i));
        rest -= pairs[i].value;
        along_.push_back(static_cast<float>(1 / (pairs[i].value / n + ridge)));
    }
    const double others = static_cast<double>(std::max<std::size_t>(1, d - pairs.size()));
    along_.push_back(static_cast<float>(1 / (std::max(0.0, rest) / n / others + ridge)));
    find_center();
}

void Familiarity::find_center() {
    const float* center = axes_.row(axes_.rows() - 1);
    at_center_.assign(axes_.rows(), 0);
    for (std::size_t i = 0; i < axes_.rows(); ++i)
        for (std::size_t j = 0; j < axes_.cols(); ++j) at_center_[i] += axes_(i, j) * center[j];
}

// |x - c|^2 is |x|^2 - 2 x . c + |c|^2, so that no row is copied.
Familiarity::Far Familiarity::far(MatrixView given) const {
    constexpr float kLeast = 1e-30f;
    const std::size_t last = axes_.rows() - 1;
    Matrix along(given.rows, axes_.rows());
    math::gemm(math::Op::none, given, math::Op::transpose, axes_, along);
    Far result{std::vector<double>(given.rows), std::vector<double>(given.rows)};
    const auto squares = math::vectorized([](const float* x, std::size_t n) {
        float sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += x[j] * x[j];
        return sum;
    });
    parallel_range(given.rows, kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            float rest = squares(given.row(i), given.cols) - 2 * along(i, last) + at_center_[last],
                  inside = 0;
            for (std::size_t a = 0; a < last; ++a) {
                const float off = along(i, a) - at_center_[a];
                rest -= off * off;
                inside += along_[a] * off * off;
            }
            const float distance = inside + along_.back() * std::max(0.0f, rest);
            result.nearness[i] = -std::log(static_cast<double>(std::max(kLeast, distance)));
            result.variation[i] = std::log(static_cast<double>(std::max(kLeast, inside)));
        }
    });
    return result;
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

// All classes share one center and scale, so that the order of the rows stays that of their evidence.
double Familiarity::best_standardized(double evidence) const {
    return (evidence - mean_peak_) / mean_deviation_;
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

void Familiarity::add(const LeftOut& rows, bool replaced) {
    const std::size_t n = rows.columns.size(), classes = norms_.size();
    if (n == 0 || axes_.empty()) return;  // a brain of an earlier version has no axes before its next sleep
    Matrix products(n, background_.cols());
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < products.cols(); ++k)
            products(i, k) = rows.scores.products(i, static_cast<std::size_t>(background_classes_[k]));
    const std::vector<float> ground = background_of_products(products);
    const Far far = this->far(rows.given);
    std::vector<double> best(n), own(n);
    std::map<std::size_t, std::vector<double>> of_class;
    for (std::size_t i = 0; i < n; ++i) {
        const auto c = static_cast<std::size_t>(rows.columns[i]);
        double most = -1e30;
        for (std::size_t k = 0; k < classes; ++k) {
            double r = 2 * static_cast<double>(rows.scores.products(i, k)) -
                       static_cast<double>(rows.scores.squared_norms(i, k));
            if (rows.covariance_terms) r += 2 * static_cast<double>((*rows.covariance_terms)(i, k));
            most = std::max(most, r);
            if (k == c) own[i] = standardized(c, r - static_cast<double>(ground[i]));
        }
        best[i] = best_standardized(most - static_cast<double>(ground[i]));
        of_class[c].push_back(own[i]);
    }
    // What all classes share is added once for every class.
    std::vector<std::size_t> first;
    for (std::size_t i = 0; i < n; ++i)
        if (!(rows_[static_cast<std::size_t>(rows.columns[i])] > 0)) first.push_back(i);
    if (!first.empty()) {
        const auto pick = [&](std::span<const double> all) {
            std::vector<double> some;
            for (const std::size_t i : first) some.push_back(all[i]);
            return some;
        };
        double fresh = 0;
        for (const auto& [c, values] : of_class) fresh += !(rows_[c] > 0);
        const std::vector<double> weights = pick(rows.weights);
        const auto more = [&](ScoreSketch& sketch, std::span<const double> values) {
            sketch = ScoreSketch::merged(sketch, sketched_, ScoreSketch(pick(values), weights), fresh);
        };
        more(near_, best), more(own_, own), more(distance_, far.nearness), more(variation_, far.variation);
        sketched_ += fresh;
    }
    for (auto& [c, values] : of_class) {
        const std::vector<double> same(values.size(), 1);
        const auto count = static_cast<float>(values.size());
        const ScoreSketch sketch(std::move(values), same);
        classes_[c] = ScoreSketch::merged(classes_[c], replaced ? 0 : static_cast<double>(rows_[c]), sketch,
                                          static_cast<double>(count));
        rows_[c] = count + (replaced ? 0 : rows_[c]);
    }
}

void Familiarity::drop(std::size_t column) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    classes_.erase(classes_.begin() + at), rows_.erase(rows_.begin() + at);
}

std::vector<double> Familiarity::p_values(const Matrix& scores, std::span<const float> background,
                                          MatrixView given) const {
    std::vector<double> result(scores.rows(), 1);
    if (!ready()) return result;
    const Far far = this->far(given);
    parallel_range(scores.rows(), kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            double most = -1e30;
            for (std::size_t k = 0; k < scores.cols(); ++k)
                most = std::max(most, evidence(k, static_cast<double>(scores(i, k)), 0));
            const double near = near_.p_value(best_standardized(most - static_cast<double>(background[i])));
            const double away =
                std::min(distance_.p_value(far.nearness[i]), variation_.p_value(far.variation[i]));
            result[i] = std::min({1.0, near / (1 - kFarShare), away / (kFarShare / 2)});
        }
    });
    return result;
}

Matrix Familiarity::class_p_values(const Matrix& scores, std::span<const float> background) const {
    Matrix result(scores.rows(), scores.cols());
    parallel_range(scores.rows(), kPerThread, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t k = 0; k < scores.cols(); ++k) {
                const double u = standardized(
                    k, evidence(k, static_cast<double>(scores(i, k)), static_cast<double>(background[i])));
                const double rows = static_cast<double>(rows_[k]), all = own_.p_value(u);
                const double p =
                    rows > 0 ? (rows * classes_[k].p_value(u) + kSharedRows * all) / (rows + kSharedRows)
                             : all;
                result(i, k) = static_cast<float>(p);
            }
    });
    return result;
}

std::size_t Familiarity::bytes(std::size_t classes, std::size_t width) {
    const std::size_t of_class = 4 * sizeof(float) + sizeof(ScoreSketch),
                      of_background = kBackgroundRank * sizeof(float) + sizeof(std::int64_t);
    return classes * of_class + std::min(classes, kBackgroundClasses) * of_background +
           (kFarAxes + 1) * (width + 2) * sizeof(float);
}

void Familiarity::save(State& state) const {
    if (!ready()) return;
    constexpr std::size_t kQuantiles = ScoreSketch::kShares.size();
    const std::size_t classes = norms_.size();
    state.set("open.background", background_, ArrayKind::readout);
    state.set("open.background_classes", background_classes_, ArrayKind::readout);
    state.set("open.norms", as_matrix(norms_), ArrayKind::readout);
    state.set("open.peaks", as_matrix(peaks_), ArrayKind::readout);
    state.set("open.deviations", as_matrix(deviations_), ArrayKind::readout);
    state.set("open.axes", axes_, ArrayKind::statistics);
    state.set("open.along", as_matrix(along_), ArrayKind::statistics);
    state.set("open.rows", as_matrix(rows_), ArrayKind::statistics);
    Matrix common(4, kQuantiles), own(classes, kQuantiles);
    const ScoreSketch* sketches[] = {&near_, &own_, &distance_, &variation_};
    for (std::size_t i = 0; i < 4; ++i)
        std::copy(sketches[i]->quantiles().begin(), sketches[i]->quantiles().end(), common.row(i));
    for (std::size_t c = 0; c < classes; ++c)
        std::copy(classes_[c].quantiles().begin(), classes_[c].quantiles().end(), own.row(c));
    state.set("open.sketches", std::move(common), ArrayKind::statistics);
    state.set("open.classes", std::move(own), ArrayKind::statistics);
    state.set("open.numbers",
              std::vector<double>{sketched_, mean_norm_, mean_peak_, mean_deviation_, by_angle_ ? 1.0 : 0.0});
}

Familiarity Familiarity::load(const State& state, std::size_t classes, std::size_t width) {
    Familiarity f;
    const auto first = state.arrays.lower_bound("open.");
    if (first == state.arrays.end() || !first->first.starts_with("open.")) return f;
    constexpr std::size_t kQuantiles = ScoreSketch::kShares.size();
    const auto row = [&](const char* key, std::size_t size) { return as_vector(state.finite(key, 1, size)); };
    f.norms_ = row("open.norms", classes);
    f.peaks_ = row("open.peaks", classes);
    f.deviations_ = row("open.deviations", classes);
    f.rows_ = row("open.rows", classes);
    f.background_classes_ = state.integer("open.background_classes");
    for (const std::int64_t c : f.background_classes_)
        if (c < 0 || c >= static_cast<std::int64_t>(classes))
            throw Error("State: 'open.background_classes' names column " + std::to_string(c) + " of " +
                        std::to_string(classes));
    const std::size_t rank = state.matrix("open.background").rows(), axes = state.matrix("open.axes").rows();
    if (axes == 0) throw Error("State: 'open.axes' is empty");
    f.background_ = state.finite("open.background", rank, f.background_classes_.size());
    f.axes_ = state.finite("open.axes", axes, width);
    f.along_ = row("open.along", axes);
    f.find_center();
    for (const std::vector<float>* numbers : {&f.norms_, &f.rows_, &f.along_})
        if (std::any_of(numbers->begin(), numbers->end(), [](float v) { return v < 0; }))
            throw Error("State: 'open.norms', 'open.rows' or 'open.along' has a negative number");
    const Matrix &common = state.finite("open.sketches", 4, kQuantiles),
                 &own = state.finite("open.classes", classes, kQuantiles);
    f.near_ = ScoreSketch(common.view().row_span(0));
    f.own_ = ScoreSketch(common.view().row_span(1));
    f.distance_ = ScoreSketch(common.view().row_span(2));
    f.variation_ = ScoreSketch(common.view().row_span(3));
    f.classes_.resize(classes);
    for (std::size_t c = 0; c < classes; ++c)
        if (f.rows_[c] > 0) f.classes_[c] = ScoreSketch(own.view().row_span(c));
    const std::vector<double>& numbers = state.list<double>("open.numbers", 5);
    for (const double v : numbers)
        if (!(std::abs(v) <= 1e15))
            throw Error("State: 'open.numbers' has " + std::to_string(v) + "; it must be from -1e15 to 1e15");
    f.sketched_ = numbers[0], f.mean_norm_ = numbers[1];
    f.mean_peak_ = numbers[2], f.mean_deviation_ = numbers[3], f.by_angle_ = numbers[4] > 0;
    if (!(f.mean_deviation_ > 0) ||
        std::any_of(f.deviations_.begin(), f.deviations_.end(), [](float v) { return !(v > 0); }))
        throw Error("State: 'open.deviations' must be positive");
    return f;
}

}  // namespace fearnet
