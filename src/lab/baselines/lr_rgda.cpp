#include "lab/baselines/lr_rgda.hpp"

#include <cmath>

#include "core/learners/kit/held_out.hpp"
#include "core/learners/kit/positive_number.hpp"
#include "core/math/gemm.hpp"
#include "core/math/solve.hpp"
#include "lab/baselines/chosen_rows.hpp"
#include "lab/baselines/low_rank_gaussian.hpp"

namespace fearnet::lab {
namespace {

constexpr double kOwn[] = {1, 0.3, 0.1, 0.03, 0.01};  // later is closer to LDA
constexpr double kIdentity[] = {0.03, 0.1, 0.3, 1, 3, 10};
constexpr double kUsualOwn = 0.1, kUsualIdentity = 1;  // where a session is too small to hold rows out
constexpr std::size_t kMaxHeld = 2000;                 // rows to choose by

double dot(const float* a, const float* b, std::size_t n) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
    return sum;
}

// shared S + identity mean(diag S) I, or I where the classes have no variance.
Matrix shared_covariance(const ClassMoments& moments, double shared, double identity) {
    Matrix a = moments.scatter;
    const double n = static_cast<double>(moments.rows());
    double variance = 0;
    for (std::size_t j = 0; j < a.rows(); ++j)
        variance += static_cast<double>(a(j, j)) / n / static_cast<double>(a.rows());
    const auto share = static_cast<float>(variance > 0 ? shared / n : 0);
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] *= share;
    for (std::size_t j = 0; j < a.rows(); ++j)
        a(j, j) += static_cast<float>(variance > 0 ? identity * variance : 1);
    return a;
}

}  // namespace

LowRankDiscriminant::LowRankDiscriminant(const ClassMoments& moments,
                                         std::span<const std::shared_ptr<const Matrix>> factors,
                                         double shared, double identity) {
    const std::size_t d = moments.width();
    first_.push_back(0);
    for (const auto& factor : factors) first_.push_back(first_.back() + factor->rows());
    Matrix solved(first_.back(), d);
    for (std::size_t c = 0; c < factors.size(); ++c)
        std::copy_n(factors[c]->data(), factors[c]->size(), solved.row(first_[c]));
    linear_.weights = moments.means;
    try {
        const math::CholeskyFactor a(shared_covariance(moments, shared, identity));
        a.solve(linear_.weights);
        if (solved.rows() > 0) a.solve(solved);
    } catch (const Error&) {
        throw Error("rgda.identity = " + std::to_string(identity) + " is too small for the " +
                    std::to_string(d) + " x " + std::to_string(d) +
                    " matrix to be inverted; set a larger one");
    }
    linear_.bias = distance_bias(linear_.weights, moments.means);
    directions_ = Matrix(solved.rows(), d);
    for (std::size_t c = 0; c < factors.size(); ++c) {
        const std::size_t k = factors[c]->rows();
        if (k == 0) continue;
        const MatrixView part = solved.view().slice(first_[c], k);
        Matrix inner(k, k), vectors(k, k);
        math::gemm(math::Op::none, *factors[c], math::Op::transpose, part, inner);
        const std::vector<math::Eigenpair> pairs = math::largest_eigenvectors(inner, k);
        for (std::size_t i = 0; i < k; ++i) {
            values_.push_back(std::max(0.0, pairs[i].value));
            std::copy_n(pairs[i].vector.data(), k, vectors.row(i));
        }
        math::gemm(math::Op::none, vectors, math::Op::none, part, directions_.view().slice(first_[c], k));
        for (std::size_t i = first_[c]; i < first_[c + 1]; ++i)
            at_mean_.push_back(static_cast<float>(dot(directions_.row(i), moments.means.row(c), d)));
    }
}

Matrix LowRankDiscriminant::scores(MatrixView x, double own) const {
    Matrix result = linear_.scores(x), projected(x.rows, directions_.rows());
    if (directions_.rows() == 0) return result;
    math::gemm(math::Op::none, x, math::Op::transpose, directions_, projected);
    std::vector<double> scale(values_.size()), log_determinant(linear_.bias.size());
    for (std::size_t c = 0; c < log_determinant.size(); ++c)
        for (std::size_t k = first_[c]; k < first_[c + 1]; ++k) {
            scale[k] = own / (1 + own * values_[k]);
            log_determinant[c] += std::log1p(own * values_[k]);
        }
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t c = 0; c < log_determinant.size(); ++c) {
            double quadratic = 0;
            for (std::size_t k = first_[c]; k < first_[c + 1]; ++k) {
                const double p = static_cast<double>(projected(i, k) - at_mean_[k]);
                quadratic += scale[k] * p * p;
            }
            result(i, c) = static_cast<float>(static_cast<double>(result(i, c)) +
                                              0.5 * (quadratic - log_determinant[c]));
        }
    return result;
}

std::size_t LowRankDiscriminant::bytes() const {
    return linear_.bytes() + directions_.bytes() + at_mean_.size() * (sizeof(float) + sizeof(double));
}

void LrRgda::add(Statistics& statistics, MatrixView x, std::span<const std::int32_t> columns,
                 std::size_t classes) const {
    const auto rank = static_cast<std::size_t>(settings().rank);
    const std::vector<std::vector<std::size_t>> by_class = rows_by_class(columns, classes);
    const std::size_t before = statistics.moments.classes();
    statistics.factors.resize(classes);
    for (std::size_t c = 0; c < classes; ++c) {
        if (by_class[c].empty()) continue;
        LowRankCovariance covariance = low_rank_covariance(ChosenRows(x, columns, by_class[c]).x, rank);
        if (c < before) {
            LowRankCovariance old;
            old.count = statistics.moments.counts[c];
            old.mean = statistics.moments.means.view().slice(c, 1);
            old.factor = *statistics.factors[c];
            covariance = merged(old, covariance, rank);
        }
        statistics.factors[c] = std::make_shared<const Matrix>(std::move(covariance.factor));
    }
    statistics.moments.add(x, columns, classes, true);
}

// The candidates with the best accuracy on held-out rows; of equals the one closest to strongly regularized
// LDA.
LrRgda::Weights LrRgda::choose(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                               const Progress& progress) const {
    std::vector<double> own(std::begin(kOwn), std::end(kOwn)),
        identity(std::begin(kIdentity), std::end(kIdentity));
    if (settings().own > 0) own = {settings().own};
    if (settings().identity > 0) identity = {settings().identity};
    Weights best{own.size() > 1 ? kUsualOwn : own[0], identity.size() > 1 ? kUsualIdentity : identity[0]};
    if (own.size() * identity.size() == 1 || classes < 2) return best;
    const HeldOutSplit split = hold_out(columns, classes);
    if (split.held.empty()) return best;
    const ChosenRows held(x, columns, split.held, kMaxHeld), taught(x, columns, split.fit);
    Statistics fit;
    add(fit, taught.x, taught.columns, classes);
    double most = -1;
    for (const double i : identity) {
        report(progress, {"learn", 0, 2}, "learn");
        try {
            const LowRankDiscriminant model = solve(fit, i);
            for (const double o : own) {
                ClassAccuracy accuracy(classes);
                accuracy.add(model.scores(held.x, o), held.columns);
                if (accuracy.mean() >= most) most = accuracy.mean(), best = {o, i};
            }
        } catch (const Error&) {  // too weak for this matrix: never chosen
        }
    }
    return best;
}

void LrRgda::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                   const Progress& progress) {
    const Weights weights =
        first_session() ? choose(x, columns, classes, progress) : Weights{own_, identity_};
    Statistics statistics = statistics_;
    add(statistics, x, columns, classes);
    report(progress, {"learn", 1, 2}, "learn");
    LowRankDiscriminant model = solve(statistics, weights.identity);
    report(progress, {"learn", 2, 2}, "learn");
    statistics_ = std::move(statistics);
    model_ = std::move(model);
    own_ = weights.own, identity_ = weights.identity;
}

MemoryUse LrRgda::memory() const {
    std::size_t statistics = statistics_.moments.bytes();
    for (const auto& factor : statistics_.factors) statistics += factor->bytes();
    return {{"statistics", statistics}, {"readout", model_.bytes()}};
}

void LrRgda::save_model(State& state) const {
    statistics_.moments.save(state);
    for (std::size_t c = 0; c < statistics_.factors.size(); ++c)
        state.set("class" + std::to_string(c) + ".factor", *statistics_.factors[c], ArrayKind::statistics);
    state.set("own", own_);
    state.set("identity", identity_);
}

void LrRgda::load_model(const State& state) {
    const double own = positive_number(state, "own"), identity = positive_number(state, "identity");
    Statistics statistics;
    statistics.moments = ClassMoments::load(state, class_count(), width(), true);
    for (std::size_t c = 0; c < class_count(); ++c) {
        const std::string key = "class" + std::to_string(c) + ".factor";
        const std::size_t rows = state.matrix(key).rows();
        statistics.factors.push_back(std::make_shared<const Matrix>(state.finite(key, rows, width())));
    }
    model_ = solve(statistics, identity);
    statistics_ = std::move(statistics);
    own_ = own, identity_ = identity;
}

}  // namespace fearnet::lab
