#include "lab/baselines/anacp.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/learners/kit/held_out.hpp"
#include "core/learners/kit/positive_number.hpp"
#include "core/learners/kit/softmax_temperature.hpp"
#include "core/math/distances.hpp"
#include "core/math/gemm.hpp"
#include "core/math/solve.hpp"
#include "core/math/vectorizable.hpp"
#include "core/math/vectorized.hpp"
#include "lab/baselines/chosen_rows.hpp"

namespace fearnet::lab {
namespace {

constexpr double kLambdas[] = {0.003, 0.01, 0.03, 0.1, 0.3, 1};
constexpr double kUsualLambda = 0.1;    // where a session is too small to hold rows out
constexpr std::size_t kMaxHeld = 2000;  // rows to choose by
constexpr std::size_t kPortion = 2048;  // wide features make rows large: this many at once
// Streams of the learner's fixed random numbers.
constexpr std::uint64_t kProjections = 0, kPseudoRows = 1000, kOtherPseudoRows = 1001;

// x Phi(x), with Phi's error function by Abramowitz and Stegun 7.1.26: error below 2e-7.
inline float gelu(float x) {
    const float z = 0.70710678f * (x < 0 ? -x : x), t = 1 / (1 + 0.3275911f * z);
    float p = 1.061405429f;
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    const float upper = 0.5f * p * t * math::exp(-z * z);  // 1 - Phi(|x|)
    return x * (x < 0 ? upper : 1 - upper);
}

void apply_gelu(Matrix& m) {
    const auto loop = math::vectorized([](float* v, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) v[i] = gelu(v[i]);
    });
    parallel_range(m.size(), 1 << 14,
                   [&](std::size_t begin, std::size_t end) { loop(m.data() + begin, end - begin); });
}

Matrix random_features(MatrixView rows, const Matrix& projection) {
    Matrix features(rows.rows, projection.cols());
    math::gemm(math::Op::none, rows, math::Op::none, projection, features);
    apply_gelu(features);
    return features;
}

void scale_to_unit_length(Matrix& rows) {
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        const float length = std::sqrt(math::squared_norm(rows.row(i), rows.cols()));
        for (std::size_t j = 0; length > 0 && j < rows.cols(); ++j) rows(i, j) /= length;
    }
}

// Lower triangle.
Matrix shared_covariance(const ClassMoments& moments) {
    Matrix s = moments.scatter;
    const auto n = static_cast<float>(moments.rows());
    for (std::size_t i = 0; i < s.size(); ++i) s.data()[i] /= n;
    for (std::size_t j = 0; j < s.rows(); ++j) s(j, j) += static_cast<float>(kAnaCpRidge);
    return s;
}

// Rows of the Gaussian classes.
class PseudoRows {
  public:
    explicit PseudoRows(const ClassMoments& moments)
        : means_(moments.means), factor_(math::CholeskyFactor(shared_covariance(moments)).lower()) {}

    Matrix draw(std::span<const std::int32_t> columns, Rng& rng) const {
        Matrix normal(columns.size(), means_.cols()), rows(columns.size(), means_.cols());
        rng.fill_normal({normal.data(), normal.size()});
        math::gemm(math::Op::none, normal, math::Op::transpose, factor_, rows);
        for (std::size_t i = 0; i < rows.rows(); ++i) {
            const float* mean = means_.row(static_cast<std::size_t>(columns[i]));
            for (std::size_t j = 0; j < rows.cols(); ++j) rows(i, j) += mean[j];
        }
        return rows;
    }

  private:
    const Matrix& means_;
    Matrix factor_;  // L of the covariance
};

std::string head_key(std::size_t head) {
    return "head" + std::to_string(head) + ".";
}

}  // namespace

Matrix separated_targets(const Matrix& means, Matrix covariance) {
    const std::size_t classes = means.rows(), d = means.cols();
    Matrix center(1, d), off = means;
    for (std::size_t j = 0; j < d; ++j) {
        double sum = 0;
        for (std::size_t c = 0; c < classes; ++c) sum += static_cast<double>(means(c, j));
        center(0, j) = static_cast<float>(sum / static_cast<double>(classes));
        for (std::size_t c = 0; c < classes; ++c) off(c, j) -= center(0, j);
    }
    Matrix solved = off, products(classes, classes), mix(classes, classes), targets(classes, d);
    math::CholeskyFactor(std::move(covariance)).solve(solved);
    math::gemm(math::Op::none, off, math::Op::transpose, solved, products);
    const std::vector<math::Eigenpair> pairs = math::largest_eigenvectors(products, classes);
    constexpr double kNegligible = 1e-5;  // the means are centered: one eigenvalue is 0 up to rounding
    for (std::size_t c = 0; c < classes; ++c) mix(c, c) = 1;
    for (const math::Eigenpair& pair : pairs) {
        if (!(pair.value > kNegligible * pairs.front().value)) continue;
        const auto scale = static_cast<float>(1 / std::sqrt(pair.value));
        for (std::size_t a = 0; a < classes; ++a)
            for (std::size_t b = 0; b < classes; ++b) mix(a, b) += scale * pair.vector[a] * pair.vector[b];
    }
    math::gemm(math::Op::none, mix, math::Op::none, solved, targets);
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t j = 0; j < d; ++j) targets(c, j) += center(0, j);
    scale_to_unit_length(targets);
    return targets;
}

void AnaCp::prepare(std::size_t width) {
    if (!projections_.empty() && projections_[0].rows() == width) return;
    std::vector<Matrix> projections;
    for (std::size_t h = 0; h <= heads(); ++h) {
        projections.emplace_back(width, size());
        Rng rng = fixed_rng().fork(kProjections + h);
        rng.fill_normal({projections[h].data(), projections[h].size()});
    }
    projections_ = std::move(projections);
}

void AnaCp::add(Statistics& statistics, MatrixView x, std::span<const std::int32_t> columns,
                std::size_t classes) const {
    statistics.heads.resize(heads());
    for (std::size_t first = 0; first < x.rows; first += kPortion) {
        const std::size_t count = std::min(kPortion, x.rows - first);
        Matrix rows(x.slice(first, count));
        scale_to_unit_length(rows);
        const std::span<const std::int32_t> part = columns.subspan(first, count);
        statistics.input.add(rows, part, classes, true);
        for (std::size_t h = 0; h < heads(); ++h)
            statistics.heads[h].add(random_features(rows, projections_[h]), part, classes, true);
    }
}

// A head's output is the sum of the targets, weighted by its scores v, scaled to length one. The length is
// the root of v . (products of the targets) . v, so that no output is written out: their mean is a sum of
// targets, and so is its projection.
Matrix AnaCp::hidden(const Model& model, MatrixView rows) const {
    const std::size_t classes = model.expanded.rows();
    Matrix weights(rows.rows, classes), product(rows.rows, classes), result(rows.rows, size());
    for (std::size_t h = 0; h < heads(); ++h) {
        const Matrix v = model.heads[h].scores(random_features(rows, projections_[h]));
        math::gemm(math::Op::none, v, math::Op::none, model.target_products, product);
        for (std::size_t i = 0; i < rows.rows; ++i) {
            double squared = 0;
            for (std::size_t c = 0; c < classes; ++c)
                squared += static_cast<double>(v(i, c)) * static_cast<double>(product(i, c));
            if (!(squared > 0)) continue;
            const auto scale = static_cast<float>(1 / std::sqrt(squared) / static_cast<double>(heads()));
            for (std::size_t c = 0; c < classes; ++c) weights(i, c) += scale * v(i, c);
        }
    }
    math::gemm(math::Op::none, weights, math::Op::none, model.expanded, result);
    apply_gelu(result);
    return result;
}

std::shared_ptr<const AnaCp::Model> AnaCp::fit(const Statistics& statistics, double lambda) const {
    auto model = std::make_shared<Model>();
    const std::size_t classes = statistics.input.classes();
    for (const ClassMoments& head : statistics.heads)
        model->heads.push_back(ridge_readout(head, lambda, false));
    const Matrix targets = separated_targets(statistics.input.means, shared_covariance(statistics.input));
    model->target_products = Matrix(classes, classes);
    math::gemm(math::Op::none, targets, math::Op::transpose, targets, model->target_products);
    model->expanded = Matrix(classes, size());
    math::gemm(math::Op::none, targets, math::Op::none, projections_[heads()], model->expanded);

    const PseudoRows pseudo_rows(statistics.input);
    Rng rng = fixed_rng().fork(kPseudoRows), other = fixed_rng().fork(kOtherPseudoRows);
    ClassMoments second;
    std::vector<std::int32_t> columns;
    const std::size_t all = classes * static_cast<std::size_t>(settings().pseudo_rows);
    for (std::size_t first = 0; first < all; first += kPortion) {
        columns.clear();
        for (std::size_t i = first; i < std::min(all, first + kPortion); ++i)
            columns.push_back(
                static_cast<std::int32_t>(i / static_cast<std::size_t>(settings().pseudo_rows)));
        second.add(hidden(*model, pseudo_rows.draw(columns, rng)), columns, classes, true);
    }
    model->classifier = ridge_readout(second, lambda, false);

    // The rows of the session are part of all sums, and those of older sessions are gone. The temperature is
    // therefore fitted on pseudo-rows that the second layer was not fitted on.
    columns.resize(SoftmaxTemperature::kMostRows);
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<std::int32_t>(i % classes);
    SoftmaxTemperature temperature;
    temperature.add(model->classifier.scores(hidden(*model, pseudo_rows.draw(columns, other))), columns, 1);
    model->temperature = temperature.value(1);
    return model;
}

// The candidate with the best accuracy on held-out rows; the strongest of equals.
double AnaCp::choose(const Statistics& statistics, MatrixView held, std::span<const std::int32_t> columns,
                     const Progress& progress) const {
    double best = kUsualLambda, most = -1;
    for (const double lambda : kLambdas) {
        report(progress, {"learn", 0, 2}, "learn");
        try {
            const auto model = fit(statistics, lambda);
            ClassAccuracy accuracy(statistics.input.classes());
            accuracy.add(model->classifier.scores(hidden(*model, held)), columns);
            if (accuracy.mean() >= most) most = accuracy.mean(), best = lambda;
        } catch (const Error&) {  // too weak for this matrix: never chosen
        }
    }
    return best;
}

void AnaCp::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                  const Progress& progress) {
    prepare(x.cols);
    Statistics statistics = statistics_;
    double lambda = first_session() ? settings().lambda : lambda_;
    report(progress, {"learn", 0, 2}, "learn");
    HeldOutSplit split;
    if (lambda == 0) split = hold_out(columns, classes);
    if (lambda == 0 && (classes < 2 || split.held.empty())) lambda = kUsualLambda;
    if (lambda > 0) {
        add(statistics, x, columns, classes);
    } else {
        const ChosenRows fit_rows(x, columns, split.fit), held(x, columns, split.held);
        ChosenRows some(x, columns, split.held, kMaxHeld);
        scale_to_unit_length(some.x);
        add(statistics, fit_rows.x, fit_rows.columns, classes);
        lambda = choose(statistics, some.x, some.columns, progress);
        add(statistics, held.x, held.columns, classes);
    }
    report(progress, {"learn", 2, 2}, "learn");
    statistics_ = std::move(statistics);
    lambda_ = lambda;
    model_.reset();
}

std::shared_ptr<const AnaCp::Model> AnaCp::model() const {
    const std::lock_guard lock(mutex_);
    if (!model_) model_ = fit(statistics_, lambda_);
    return model_;
}

Matrix AnaCp::scores(MatrixView x) const {
    const auto current = model();
    Matrix rows(x);
    scale_to_unit_length(rows);
    return current->classifier.scores(hidden(*current, rows));
}

MemoryUse AnaCp::memory() const {
    std::size_t statistics = statistics_.input.bytes(), projection = 0;
    for (const ClassMoments& head : statistics_.heads) statistics += head.bytes();
    if (class_count() > 0)
        for (const Matrix& p : projections_) projection += p.bytes();
    // The size after the fit: weights and bias of each read-out, and the targets.
    const std::size_t readout =
        class_count() * ((heads() + 1) * (size() + 1) + class_count() + size()) * sizeof(float);
    return {{"statistics", statistics}, {"readout", readout}, {"projection", projection}};
}

void AnaCp::save_model(State& state) const {
    statistics_.input.save(state);
    for (std::size_t h = 0; h < heads(); ++h) {
        State part;
        statistics_.heads[h].save(part);
        for (auto& [key, array] : part.arrays) state.arrays[head_key(h) + key] = std::move(array);
    }
    state.set("lambda", lambda_);
}

void AnaCp::load_model(const State& state) {
    const double lambda = positive_number(state, "lambda");
    Statistics statistics;
    statistics.input = ClassMoments::load(state, class_count(), width(), true);
    for (std::size_t h = 0; h < heads(); ++h) {
        State part;
        for (const auto& [key, array] : state.arrays)
            if (key.starts_with(head_key(h))) part.arrays[key.substr(head_key(h).size())] = array;
        statistics.heads.push_back(ClassMoments::load(part, class_count(), size(), true));
    }
    statistics_ = std::move(statistics);
    lambda_ = lambda;
    prepare(width());  // last: its allocations depend on sizes that are checked only now
}

}  // namespace fearnet::lab
