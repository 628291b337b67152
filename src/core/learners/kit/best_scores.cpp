#include "core/learners/kit/best_scores.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "fearnet/error.hpp"

namespace fearnet {
namespace {

// Twice as many classes are as good as 2^kOverlap times as many independent ones. With 1 the familiarity of
// held-out training rows was too small after many sessions, with 0 too large.
constexpr double kOverlap = 0.3;

}  // namespace

// A row of a class is compared with all others. Others that are alike count for less than their number.
void BestScores::follow(std::size_t classes) {
    const auto now = static_cast<double>(classes);
    if (compared_ >= 2 && now >= 2 && now != compared_)
        best_ = ScoreSketch::with_more_others(best_, own_, std::pow((now - 1) / (compared_ - 1), kOverlap));
    if (!best_.empty() && now >= 2) compared_ = now;
}

void BestScores::add(std::span<const double> best, std::span<const double> own,
                     std::span<const std::int32_t> columns, std::size_t classes) {
    follow(classes);
    if (best.empty()) return;
    const std::vector<double> weights = equal_class_weights(columns);
    const auto fresh = static_cast<double>(std::set<std::int32_t>(columns.begin(), columns.end()).size());
    const auto merge = [&](ScoreSketch& sketch, std::span<const double> scores) {
        sketch = ScoreSketch::merged(sketch, classes_, ScoreSketch({scores.begin(), scores.end()}, weights),
                                     fresh);
    };
    merge(best_, best), merge(own_, own);
    classes_ += fresh;
    compared_ = static_cast<double>(classes);
}

void BestScores::save(State& state) const {
    if (best_.empty()) return;
    Matrix sketches(2, ScoreSketch::kShares.size());
    std::copy(best_.quantiles().begin(), best_.quantiles().end(), sketches.row(0));
    std::copy(own_.quantiles().begin(), own_.quantiles().end(), sketches.row(1));
    state.set("open.best", std::move(sketches), ArrayKind::statistics);
    state.set("open.best_of", std::vector<double>{classes_, compared_});
}

BestScores BestScores::load(const State& state) {
    BestScores result;
    const Matrix& sketches = state.finite("open.best", 2, ScoreSketch::kShares.size());
    result.best_ = ScoreSketch(sketches.view().row_span(0));
    result.own_ = ScoreSketch(sketches.view().row_span(1));
    const std::vector<double>& numbers = state.list<double>("open.best_of", 2);
    for (const double n : numbers)
        if (!(n >= 1) || !(n <= 1e15))
            throw Error("State: 'open.best_of' has " + std::to_string(n) + "; it must be from 1 to 1e15");
    result.classes_ = numbers[0], result.compared_ = numbers[1];
    return result;
}

}  // namespace fearnet
