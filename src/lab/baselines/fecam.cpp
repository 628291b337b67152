#include "lab/baselines/fecam.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/learners/kit/class_moments.hpp"
#include "core/learners/kit/held_out.hpp"
#include "core/learners/kit/positive_number.hpp"
#include "core/learners/kit/power_transform.hpp"
#include "lab/baselines/chosen_rows.hpp"

namespace fearnet::lab {
namespace {

constexpr double kGammas[] = {0.3, 1, 3, 10, 30, 100, 300};
constexpr double kUsualGamma = 10;      // where a session is too small to hold rows out
constexpr std::size_t kMaxHeld = 2000;  // rows to choose by
constexpr double kUnit = 1;             // of scores: Mahalanobis distances have none
constexpr double kSharpness = 16;       // of the softmax of the cosines between class means

double cosine(const Matrix& a, const Matrix& b) {
    double product = 0, aa = 0, bb = 0;
    for (std::size_t j = 0; j < a.cols(); ++j) {
        const double x = static_cast<double>(a(0, j)), y = static_cast<double>(b(0, j));
        product += x * y, aa += x * x, bb += y * y;
    }
    return aa > 0 && bb > 0 ? product / std::sqrt(aa * bb) : 0;
}

}  // namespace

Matrix FeCam::mapped(MatrixView x) const {
    Matrix result(x);
    power_transform(result, settings().power);
    return result;
}

std::shared_ptr<const FeCam::Class> FeCam::make(LowRankCovariance covariance, double gamma) const {
    MahalanobisDistance distance(covariance, {gamma, settings().gamma2, settings().correlation});
    return std::make_shared<const Class>(Class{std::move(covariance), std::move(distance)});
}

std::shared_ptr<const FeCam::Class> FeCam::make_calibrated(LowRankCovariance covariance, double gamma,
                                                           const Classes& classes, std::size_t base) const {
    std::vector<WeightedCovariance> nearest;
    for (std::size_t c = 0; c < base; ++c)
        nearest.push_back({&classes[c]->covariance, cosine(covariance.mean, classes[c]->covariance.mean)});
    std::stable_sort(nearest.begin(), nearest.end(),
                     [](const auto& a, const auto& b) { return a.weight > b.weight; });
    if (nearest.size() > neighbors()) nearest.resize(neighbors());
    const double best = nearest.front().weight;
    double sum = 0;
    for (WeightedCovariance& n : nearest) sum += n.weight = std::exp(kSharpness * (n.weight - best));
    for (WeightedCovariance& n : nearest) n.weight /= sum;
    MahalanobisDistance distance(calibrated(covariance, nearest, max_rank()),
                                 {gamma, settings().gamma2, settings().correlation});
    return std::make_shared<const Class>(Class{std::move(covariance), std::move(distance)});
}

LowRankCovariance FeCam::covariance_of(MatrixView x, std::span<const std::size_t> chosen) const {
    Matrix rows(chosen.size(), x.cols);
    for (std::size_t i = 0; i < rows.rows(); ++i) std::copy_n(x.row(chosen[i]), x.cols, rows.row(i));
    return low_rank_covariance(mapped(rows), max_rank());
}

// The candidate with the best accuracy on held-out rows; the strongest of equals.
double FeCam::choose_gamma(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes) const {
    const HeldOutSplit split = hold_out(columns, classes);
    if (classes < 2 || split.held.empty()) return kUsualGamma;
    const ChosenRows held(x, columns, split.held, kMaxHeld);
    std::vector<std::vector<std::size_t>> fit(classes);
    for (const std::size_t i : split.fit) fit[static_cast<std::size_t>(columns[i])].push_back(i);
    FeCam trial(settings());
    std::vector<LowRankCovariance> covariances;
    for (const std::vector<std::size_t>& rows : fit) covariances.push_back(covariance_of(x, rows));
    double best = kUsualGamma, most = -1;
    for (const double gamma : kGammas) {
        trial.classes_.clear();
        for (const LowRankCovariance& c : covariances) trial.classes_.push_back(make(c, gamma));
        ClassAccuracy accuracy(classes);
        accuracy.add(trial.scores(held.x), held.columns);
        if (accuracy.mean() >= most) most = accuracy.mean(), best = gamma;
    }
    return best;
}

void FeCam::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                  const Progress& progress) {
    Classes next = classes_;
    next.resize(classes);
    const std::size_t base = first_session() ? classes : base_;
    const std::vector<std::vector<std::size_t>> by_class = rows_by_class(columns, classes);
    std::size_t done = 0, total = 0;
    for (const auto& rows : by_class) total += !rows.empty();
    double gamma = gamma_;
    if (gamma == 0) gamma = settings().gamma1 > 0 ? settings().gamma1 : choose_gamma(x, columns, classes);
    bool base_changed = false;
    for (std::size_t c = 0; c < classes; ++c) {  // base classes come first
        const bool calibrate = neighbors() > 0 && c >= base;
        if (by_class[c].empty()) {
            if (calibrate && base_changed) next[c] = make_calibrated(next[c]->covariance, gamma, next, base);
            continue;
        }
        base_changed = base_changed || c < base;
        LowRankCovariance covariance = covariance_of(x, by_class[c]);
        if (next[c]) covariance = merged(next[c]->covariance, covariance, max_rank());
        next[c] = calibrate ? make_calibrated(std::move(covariance), gamma, next, base)
                            : make(std::move(covariance), gamma);
        report(progress, {"learn", ++done, total}, "learn");
    }
    SoftmaxTemperature fit = temperature_fit_;
    std::vector<std::int64_t> counts;
    for (const auto& c : next) counts.push_back(c->covariance.count);
    const RowSample rows(x, columns, counts);
    if (!rows.columns.empty()) fit.add(left_out_scores(rows, next), rows.columns, kUnit);
    classes_ = std::move(next);
    base_ = base;
    gamma_ = gamma;
    temperature_fit_ = fit;
    temperature_ = fit.value(kUnit);
}

Matrix FeCam::left_out_scores(const RowSample& rows, const Classes& taught) const {
    FeCam trial(settings());
    trial.classes_ = taught;
    Matrix result = trial.scores(rows.x);
    for (std::size_t i = 0; i < rows.columns.size(); ++i) {
        const auto c = static_cast<std::size_t>(rows.columns[i]);
        const double distance = -2 * static_cast<double>(result(i, c));
        result(i, c) =
            static_cast<float>(-0.5 * taught[c]->distance.left_out(distance, taught[c]->covariance.count));
    }
    return result;
}

Matrix FeCam::scores(MatrixView x) const {
    const Matrix rows = mapped(x);
    Matrix result(x.rows, classes_.size()), work, projected;
    std::vector<double> distance(x.rows);
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        classes_[c]->distance(rows, distance, work, projected);
        for (std::size_t i = 0; i < x.rows; ++i) result(i, c) = static_cast<float>(-0.5 * distance[i]);
    }
    return result;
}

MemoryUse FeCam::memory() const {
    std::size_t statistics = 0, readout = 0;
    for (const auto& c : classes_) statistics += c->covariance.bytes(), readout += c->distance.bytes();
    return {{"statistics", statistics}, {"readout", readout}};
}

void FeCam::save_model(State& state) const {
    std::vector<std::int64_t> counts, rest;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        const LowRankCovariance& kept = classes_[c]->covariance;
        const std::string key = "class" + std::to_string(c);
        state.set(key + ".mean", kept.mean, ArrayKind::statistics);
        state.set(key + ".factor", kept.factor, ArrayKind::statistics);
        counts.push_back(kept.count);
        rest.push_back(std::bit_cast<std::int64_t>(kept.rest));  // a double's exact value
    }
    state.set("counts", std::move(counts));
    state.set("rest", std::move(rest));
    if (settings().gamma1 == 0) state.set("gamma", gamma_);
    if (neighbors() > 0) state.set("base", std::vector<std::int64_t>{static_cast<std::int64_t>(base_)});
    temperature_fit_.save(state);
}

void FeCam::load_model(const State& state) {
    const std::vector<std::int64_t>&counts = state.integer("counts"), &rest = state.integer("rest");
    if (counts.size() != class_count() || rest.size() != class_count())
        throw Error("State: 'counts' and 'rest' have " + std::to_string(counts.size()) + " and " +
                    std::to_string(rest.size()) + " numbers but there are " + std::to_string(class_count()) +
                    " classes");
    const double gamma = settings().gamma1 > 0 ? settings().gamma1 : positive_number(state, "gamma");
    std::size_t base = class_count();
    if (neighbors() > 0) {
        const std::int64_t kept = state.list<std::int64_t>("base", 1)[0];
        if (kept < 1 || static_cast<std::size_t>(kept) > class_count())
            throw Error("State: 'base' is " + std::to_string(kept) + " but there are " +
                        std::to_string(class_count()) + " classes");
        base = static_cast<std::size_t>(kept);
    }
    Classes classes;
    for (std::size_t c = 0; c < class_count(); ++c) {
        const std::string key = "class" + std::to_string(c);
        LowRankCovariance kept;
        kept.count = counts[c];
        kept.rest = std::bit_cast<double>(rest[c]);
        kept.mean = state.matrix(key + ".mean", 1, width());
        kept.factor = state.matrix(key + ".factor");
        if (kept.factor.cols() != width() || kept.count < 1 || !(kept.rest >= 0) || !std::isfinite(kept.rest))
            throw Error("State: '" + key + "' has a factor of " + std::to_string(kept.factor.cols()) +
                        " features, " + std::to_string(kept.count) +
                        " rows or a rest that do not fit rows of " + std::to_string(width()));
        classes.push_back(c < base ? make(std::move(kept), gamma)
                                   : make_calibrated(std::move(kept), gamma, classes, base));
    }
    classes_ = std::move(classes);
    base_ = base;
    gamma_ = gamma;
    temperature_fit_ = SoftmaxTemperature::load(state);
    temperature_ = temperature_fit_.value(kUnit);
}

}  // namespace fearnet::lab
