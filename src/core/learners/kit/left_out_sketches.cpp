#include "core/learners/kit/left_out_sketches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/learners/kit/class_moments.hpp"

namespace fearnet {
namespace {

// The sketch of a class counts as if it had this many rows more, of the sketch of all classes.
constexpr double kSharedRows = 5;
// Twice as many classes are as good as 2^kOverlap times as many independent ones. With 1 the familiarity of
// held-out training rows was too small after many sessions, with 0 too large.
constexpr double kOverlap = 0.3;
constexpr std::size_t kQuantiles = ScoreSketch::kShares.size();

void merge(ScoreSketch& sketch, double before, std::vector<double> scores, std::span<const double> weights,
           double now) {
    sketch = ScoreSketch::merged(sketch, before, ScoreSketch(std::move(scores), weights), now);
}

void put(const ScoreSketch& sketch, float* row) {
    std::copy(sketch.quantiles().begin(), sketch.quantiles().end(), row);
}

}  // namespace

LeftOutSample::LeftOutSample(std::span<const std::int32_t> row_columns,
                             std::span<const std::int64_t> counts) {
    const std::vector<std::vector<std::size_t>> by_class = rows_by_class(row_columns, counts.size());
    const auto met = static_cast<std::size_t>(
        std::count_if(by_class.begin(), by_class.end(),
                      [](const std::vector<std::size_t>& mine) { return !mine.empty(); }));
    const std::size_t most = kMostScores / std::max<std::size_t>(1, counts.size() * met),
                      quota = std::clamp<std::size_t>(most, 1, kPerClass);
    for (std::size_t c = 0; c < by_class.size(); ++c) {
        if (counts[c] < 2) continue;
        const std::size_t n = std::min(quota, by_class[c].size());
        for (std::size_t i = 0; i < n; ++i) {
            rows.push_back(by_class[c][i * by_class[c].size() / n]);
            columns.push_back(static_cast<std::int32_t>(c));
        }
    }
}

// A row of a class is compared with all others. Others that are alike count for less than their number.
void LeftOutSketches::follow(std::size_t classes) {
    const auto now = static_cast<double>(classes);
    if (compared_ >= 2 && now >= 2 && now != compared_)
        best_ = ScoreSketch::with_more_others(best_, own_as_best_,
                                              std::pow((now - 1) / (compared_ - 1), kOverlap));
    if (!best_.empty() && now >= 2) compared_ = now;
}

void LeftOutSketches::add(Scores scores, std::span<const std::int32_t> columns, std::size_t classes) {
    classes_.resize(classes), rows_.resize(classes);
    follow(classes);
    if (columns.empty()) return;
    std::map<std::size_t, std::vector<double>> of_class;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        std::vector<double>& mine = of_class[static_cast<std::size_t>(columns[i])];
        mine.push_back(scores.own.empty() ? 0 : scores.own[i]);
    }
    std::vector<double> weights;
    for (const std::int32_t c : columns)
        weights.push_back(1 / static_cast<double>(of_class[static_cast<std::size_t>(c)].size()));
    const auto fresh = static_cast<double>(of_class.size());
    for (std::size_t k = 0; k < far_.size(); ++k)
        merge(far_[k], sketched_, std::move(scores.far[k]), weights, fresh);
    sketched_ += fresh;
    if (scores.best.empty()) return;
    merge(best_, with_scores_, std::move(scores.best), weights, fresh);
    merge(own_as_best_, with_scores_, std::move(scores.own_as_best), weights, fresh);
    merge(own_, with_scores_, std::move(scores.own), weights, fresh);
    with_scores_ += fresh;
    compared_ = static_cast<double>(classes);
    for (auto& [c, values] : of_class) {
        const auto count = static_cast<double>(values.size());
        const std::vector<double> same(values.size(), 1);
        merge(classes_[c], static_cast<double>(rows_[c]), std::move(values), same, count);
        rows_[c] += static_cast<float>(count);
    }
}

void LeftOutSketches::drop(std::size_t column) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    classes_.erase(classes_.begin() + at), rows_.erase(rows_.begin() + at);
    follow(classes_.size());
}

// Of scores that are all below p with probability p, the smallest is below p with a probability of at most
// the sum: each is compared with its share of p.
double LeftOutSketches::familiarity(double best, std::span<const double> far) const {
    double nearest = 1;
    for (std::size_t k = 0; k < far_.size(); ++k) nearest = std::min(nearest, far_[k].p_value(far[k]));
    const auto ways = static_cast<double>(far_.size());
    if (best_.empty()) return std::min(1.0, nearest * ways);
    return std::min({1.0, best_.p_value(best) / (1 - kFarShare), nearest * ways / kFarShare});
}

double LeftOutSketches::class_p_value(std::size_t k, double own) const {
    const double rows = static_cast<double>(rows_[k]), all = own_.p_value(own);
    if (!(rows > 0)) return all;
    return std::min(1.0, (rows * classes_[k].p_value(own) + kSharedRows * all) / (rows + kSharedRows));
}

std::size_t LeftOutSketches::bytes() const {
    if (!ready()) return 0;
    return (3 + far_.size() + classes_.size()) * sizeof(ScoreSketch) + rows_.size() * sizeof(float);
}

void LeftOutSketches::save(State& state) const {
    if (!ready()) return;
    Matrix common(3 + far_.size(), kQuantiles), own(classes_.size(), kQuantiles), rows(1, rows_.size());
    put(best_, common.row(0)), put(own_as_best_, common.row(1)), put(own_, common.row(2));
    for (std::size_t k = 0; k < far_.size(); ++k) put(far_[k], common.row(3 + k));
    for (std::size_t c = 0; c < classes_.size(); ++c) put(classes_[c], own.row(c));
    std::copy(rows_.begin(), rows_.end(), rows.data());
    state.set("open.sketches", std::move(common), ArrayKind::statistics);
    state.set("open.classes", std::move(own), ArrayKind::statistics);
    state.set("open.rows", std::move(rows), ArrayKind::statistics);
    state.set("open.sketched", std::vector<double>{sketched_, with_scores_, compared_});
}

LeftOutSketches LeftOutSketches::load(const State& state, std::size_t classes, std::size_t far) {
    LeftOutSketches result(far);
    result.classes_.resize(classes), result.rows_.resize(classes);
    const auto first = state.arrays.lower_bound("open.");
    if (first == state.arrays.end() || !first->first.starts_with("open.")) return result;
    const std::vector<double>& sketched = state.list<double>("open.sketched", 3);
    for (const double n : sketched)
        if (!(n >= 0) || !(n <= 1e15))
            throw Error("State: 'open.sketched' has " + std::to_string(n) + "; it must be from 0 to 1e15");
    result.sketched_ = sketched[0], result.with_scores_ = sketched[1], result.compared_ = sketched[2];
    const Matrix &common = state.finite("open.sketches", 3 + far, kQuantiles),
                 &own = state.finite("open.classes", classes, kQuantiles),
                 &rows = state.finite("open.rows", 1, classes);
    std::copy(rows.data(), rows.data() + classes, result.rows_.begin());
    if (std::any_of(result.rows_.begin(), result.rows_.end(), [](float n) { return n < 0; }))
        throw Error("State: 'open.rows' has a negative number");
    const auto sketch = [](const Matrix& m, std::size_t row) { return ScoreSketch(m.view().row_span(row)); };
    if (result.with_scores_ > 0) {
        result.best_ = sketch(common, 0);
        result.own_as_best_ = sketch(common, 1);
        result.own_ = sketch(common, 2);
    }
    for (std::size_t k = 0; k < far && result.sketched_ > 0; ++k) result.far_[k] = sketch(common, 3 + k);
    for (std::size_t c = 0; c < classes; ++c)
        if (result.rows_[c] > 0) result.classes_[c] = sketch(own, c);
    return result;
}

}  // namespace fearnet
