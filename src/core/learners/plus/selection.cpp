#include "core/learners/plus/selection.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/learners/kit/class_moments.hpp"

namespace fearnet {

AskedRows::AskedRows(std::span<const std::int32_t> of, std::span<const std::int64_t> counts) {
    const std::size_t classes = counts.size(),
                      most = std::min(kMostRows, std::max<std::size_t>(1, kMostScores / classes));
    std::vector<std::vector<std::size_t>> by_class = rows_by_class(of, classes);
    std::size_t largest = 0;
    for (std::size_t c = 0; c < classes; ++c) {
        if (counts[c] < 2) by_class[c].clear();
        largest = std::max(largest, by_class[c].size());
    }
    const auto total = [&](std::size_t quota) {
        std::size_t sum = 0;
        for (const auto& mine : by_class) sum += std::min(quota, mine.size());
        return sum;
    };
    std::size_t quota = 1, above = largest + 1;  // the largest quota that is within `most`
    while (above - quota > 1) {
        const std::size_t middle = quota + (above - quota) / 2;
        (total(middle) <= most ? quota : above) = middle;
    }
    std::size_t asked = 0;
    for (const auto& mine : by_class) asked += !mine.empty();
    // With more classes than rows, one row of every so many classes.
    const std::size_t every = asked > most ? (asked + most - 1) / most : 1;
    std::size_t at = 0;
    for (std::size_t c = 0; c < classes; ++c) {
        const std::vector<std::size_t>& mine = by_class[c];
        if (mine.empty() || at++ % every != 0) continue;
        const std::size_t n = std::min(quota, mine.size());
        for (std::size_t i = 0; i < n; ++i) {
            rows.push_back(mine[i * mine.size() / n]);
            columns.push_back(static_cast<std::int32_t>(c));
            weights.push_back(1 / static_cast<double>(n));
        }
    }
    double sum = 0;
    for (const double w : weights) sum += w;
    for (double& w : weights) w /= sum;
}

Answers answers(MatrixView scores, std::span<const std::int32_t> columns) {
    Answers result(scores.rows);
    for (std::size_t i = 0; i < scores.rows; ++i) {
        const std::span<const float> row = scores.row_span(i);
        result[i] = std::max_element(row.begin(), row.end()) - row.begin() == columns[i];
    }
    return result;
}

double accuracy(const Answers& answers, std::span<const double> weights) {
    double sum = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) sum += weights[i] * answers[i];
    return sum;
}

// The standard error is that of no difference, so that one row alone decides nothing.
bool clearly_better(const Answers& best, const Answers& other, std::span<const double> weights) {
    constexpr double kRounding = 1 + 1e-6;
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < best.size(); ++i) {
        const double gain = weights[i] * (static_cast<double>(best[i]) - static_cast<double>(other[i]));
        sum += gain;
        squares += gain * gain;
    }
    return sum > kRounding * std::sqrt(squares);
}

const Candidate& choose(const std::vector<Candidate>& candidates, std::span<const double> weights) {
    const auto better = [](const Candidate& a, const Candidate& b) {
        return std::tuple(a.accuracy, a.settings.ridge) > std::tuple(b.accuracy, b.settings.ridge);
    };
    const Candidate *best = nullptr, *small = nullptr;  // of all; of those with one covariance
    for (const Candidate& c : candidates) {
        if (!best || better(c, *best)) best = &c;
        if (c.settings.class_covariance == 0 && (!small || better(c, *small))) small = &c;
    }
    return small && !clearly_better(best->answers, small->answers, weights) ? *small : *best;
}

}  // namespace fearnet
