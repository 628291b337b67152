#include "core/learners/kit/left_out_sketches.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "core/learners/kit/class_moments.hpp"

namespace fearnet {
namespace {

// The sketch of a class counts as if it had this many rows more, of the sketch of all classes.
constexpr double kSharedRows = 5;
constexpr std::size_t kQuantiles = ScoreSketch::kShares.size();

void merge(ScoreSketch& sketch, double before, std::vector<double> scores, std::span<const double> weights,
           double now) {
    sketch = ScoreSketch::merged(sketch, before, ScoreSketch(std::move(scores), weights), now);
}

double log_of(double p) {
    return std::log(std::max(p, 1e-30));
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

void LeftOutSketches::add_rows(const Scores& scores, std::span<const std::int32_t> columns,
                               std::span<const std::size_t> which) {
    if (which.empty()) return;
    std::vector<std::int32_t> of;
    for (const std::size_t i : which) of.push_back(columns[i]);
    const std::vector<double> weights = equal_class_weights(of);
    const auto fresh = static_cast<double>(std::set<std::int32_t>(of.begin(), of.end()).size());
    const auto chosen = [&](const std::vector<double>& all) {
        std::vector<double> some;
        for (const std::size_t i : which) some.push_back(all[i]);
        return some;
    };
    for (std::size_t k = 0; k < far_.size(); ++k)
        merge(far_[k], sketched_, chosen(scores.far[k]), weights, fresh);
    sketched_ += fresh;
    if (scores.own.empty()) return;
    merge(own_, with_scores_, chosen(scores.own), weights, fresh);
    with_scores_ += fresh;
    std::map<std::size_t, std::vector<double>> of_class;
    for (const std::size_t i : which) of_class[static_cast<std::size_t>(columns[i])].push_back(scores.own[i]);
    for (auto& [c, values] : of_class) {
        const auto count = static_cast<double>(values.size());
        const std::vector<double> same(values.size(), 1);
        merge(classes_[c], static_cast<double>(rows_[c]), std::move(values), same, count);
        rows_[c] += static_cast<float>(count);
    }
}

// The sketches that a row is compared with must not know it, or it would look too familiar.
void LeftOutSketches::add(const Scores& scores, std::span<const std::int32_t> columns, std::size_t classes,
                          const Fit& fit) {
    constexpr std::size_t kFolds = 5;
    classes_.resize(classes), rows_.resize(classes);
    const std::size_t n = columns.size();
    std::vector<std::size_t> all(n), others;
    std::iota(all.begin(), all.end(), 0);
    std::vector<double> familiar(scores.own.size()), far(far_.size());
    for (std::size_t fold = 0; fold < std::min(kFolds, scores.own.size()); ++fold) {
        others.clear();
        std::copy_if(all.begin(), all.end(), std::back_inserter(others),
                     [&](std::size_t i) { return i % kFolds != fold; });
        LeftOutSketches without = *this;
        without.add_rows(scores, columns, others);
        for (std::size_t i = fold; i < n; i += kFolds) {
            for (std::size_t k = 0; k < far.size(); ++k) far[k] = scores.far[k][i];
            familiar[i] = without.lowered(fit(without, i), far);
        }
    }
    const double before = with_scores_;
    add_rows(scores, columns, all);
    if (familiar.empty()) return;
    merge(familiar_, before, std::move(familiar), equal_class_weights(columns), with_scores_ - before);
}

void LeftOutSketches::drop(std::size_t column) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    classes_.erase(classes_.begin() + at), rows_.erase(rows_.begin() + at);
}

double LeftOutSketches::lowered(double fit, std::span<const double> far) const {
    double sum = log_of(fit);
    for (std::size_t k = 0; k < far_.size(); ++k)
        sum += std::min(0.0, log_of(far_[k].p_value(far[k]) / kFarBelow));
    return sum;
}

// Without a fit: of several p-values that are all below p with probability p, the smallest is below p with a
// probability of at most their number times p.
double LeftOutSketches::familiarity(double fit, std::span<const double> far) const {
    if (!familiar_.empty()) return familiar_.p_value(lowered(fit, far));
    double nearest = 1;
    for (std::size_t k = 0; k < far_.size(); ++k) nearest = std::min(nearest, far_[k].p_value(far[k]));
    return std::min(1.0, nearest * static_cast<double>(far_.size()));
}

double LeftOutSketches::class_p_value(std::size_t k, double own) const {
    const double rows = static_cast<double>(rows_[k]), all = own_.p_value(own);
    if (!(rows > 0)) return all;
    return std::min(1.0, (rows * classes_[k].p_value(own) + kSharedRows * all) / (rows + kSharedRows));
}

std::size_t LeftOutSketches::bytes() const {
    if (!ready()) return 0;
    return (2 + far_.size() + classes_.size()) * sizeof(ScoreSketch) + rows_.size() * sizeof(float);
}

void LeftOutSketches::save(State& state) const {
    if (!ready()) return;
    Matrix common(2 + far_.size(), kQuantiles), own(classes_.size(), kQuantiles), rows(1, rows_.size());
    put(own_, common.row(0)), put(familiar_, common.row(1));
    for (std::size_t k = 0; k < far_.size(); ++k) put(far_[k], common.row(2 + k));
    for (std::size_t c = 0; c < classes_.size(); ++c) put(classes_[c], own.row(c));
    std::copy(rows_.begin(), rows_.end(), rows.data());
    state.set("open.sketches", std::move(common), ArrayKind::statistics);
    state.set("open.classes", std::move(own), ArrayKind::statistics);
    state.set("open.rows", std::move(rows), ArrayKind::statistics);
    state.set("open.sketched", std::vector<double>{sketched_, with_scores_});
}

LeftOutSketches LeftOutSketches::load(const State& state, std::size_t classes, std::size_t far) {
    LeftOutSketches result(far);
    result.classes_.resize(classes), result.rows_.resize(classes);
    const auto first = state.arrays.lower_bound("open.");
    if (first == state.arrays.end() || !first->first.starts_with("open.")) return result;
    if (state.list<double>("open.sketched").size() == 3) return result;  // with other sketches
    const std::vector<double>& sketched = state.list<double>("open.sketched", 2);
    for (const double n : sketched)
        if (!(n >= 0) || !(n <= 1e15))
            throw Error("State: 'open.sketched' has " + std::to_string(n) + "; it must be from 0 to 1e15");
    result.sketched_ = sketched[0], result.with_scores_ = sketched[1];
    const Matrix &common = state.finite("open.sketches", 2 + far, kQuantiles),
                 &own = state.finite("open.classes", classes, kQuantiles),
                 &rows = state.finite("open.rows", 1, classes);
    std::copy(rows.data(), rows.data() + classes, result.rows_.begin());
    if (std::any_of(result.rows_.begin(), result.rows_.end(), [](float n) { return n < 0; }))
        throw Error("State: 'open.rows' has a negative number");
    const auto sketch = [](const Matrix& m, std::size_t row) { return ScoreSketch(m.view().row_span(row)); };
    if (result.with_scores_ > 0) {
        result.own_ = sketch(common, 0);
        result.familiar_ = sketch(common, 1);
    }
    for (std::size_t k = 0; k < far && result.sketched_ > 0; ++k) result.far_[k] = sketch(common, 2 + k);
    for (std::size_t c = 0; c < classes; ++c)
        if (result.rows_[c] > 0) result.classes_[c] = sketch(own, c);
    return result;
}

}  // namespace fearnet
