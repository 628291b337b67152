#include "core/learners/plus/selection.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/learners/plus/class_covariances.hpp"
#include "core/learners/plus/constants.hpp"
#include "core/learners/plus/linear_discriminant.hpp"

namespace fearnet {
namespace {

// An accuracy of one, up to the rounding of the weights.
constexpr double kNoErrors = 1 - 1e-9;

// The asked rows as one ridge shows them.
struct AtRidge {
    AtRidge(const Comparison& with, double r) : ridge(r) {
        const SharedCovariance covariance(with.moments, ridge);
        const LinearDiscriminant discriminant(with.moments, covariance);
        rows = whitened(with.features, discriminant.center(), covariance);
        scores = discriminant.leave_one_out(rows, with.asked.columns);
    }
    double ridge;
    Matrix rows;
    DiscriminantScores scores;
};

// Keeps the more accurate of two candidates. Whether that is the new one.
bool keep_better(Candidate& best, const PlusSettings& settings, Matrix scores, const AskedRows& asked) {
    Answers right = answers(scores, asked.columns);
    const double share = accuracy(right, asked.weights);
    if (!(share > best.accuracy)) return false;
    best = {settings, std::move(scores), std::move(right), share};
    return true;
}

// Tries class covariances of all strengths. Whether one of them is the best so far.
bool try_covariances(const AtRidge& at, const Comparison& with, std::span<const double> strengths,
                     Candidate& best) {
    const std::size_t classes = with.moments.classes();
    std::vector<Matrix> terms = held_out_axis_terms(
        at.rows, with.asked.columns, classes, ClassCovariances::most_axes(with.rank, classes), strengths);
    const Matrix linear = at.scores.by_distance();
    bool better = false;
    for (std::size_t s = 0; s < strengths.size(); ++s) {
        for (std::size_t i = 0; i < linear.size(); ++i) terms[s].data()[i] += linear.data()[i];
        better |= keep_better(best, {at.ridge, strengths[s]}, std::move(terms[s]), with.asked);
    }
    return better;
}

}  // namespace

AskedRows::AskedRows(std::span<const std::int32_t> of, std::span<const std::int64_t> counts,
                     std::size_t most) {
    if (most == 0) return;
    const std::size_t classes = counts.size();
    const std::size_t scores = most * kManyClasses;  // rows times classes
    most = std::clamp<std::size_t>(of.size() / 4, most, std::max(most, scores / classes));
    most = std::max<std::size_t>(1, std::min(most, scores / classes));
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

Matrix whitened(const Matrix& features, const std::vector<float>& center,
                const SharedCovariance& covariance) {
    Matrix rows = features;
    parallel_range(rows.rows(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < rows.cols(); ++j) rows(i, j) -= center[j];
    });
    covariance.whiten(rows);
    return rows;
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

Candidate choose_settings(const Comparison& comparison, const PlusOptions& options, FirstRidges& first,
                          const PlusShare& share) {
    std::vector<double> strengths(kStrengths.begin(), kStrengths.end());
    if (options.covariance_strength >= 0)
        strengths.assign(options.covariance_strength > 0, options.covariance_strength);
    if (options.ridge > 0) first = {options.ridge, options.ridge};
    Candidate linear, with_covariances;
    double done = 0;
    // Whether the linear discriminant, or class covariances, were asked for and are better than before.
    const auto try_ridge = [&](double ridge, bool& try_linear, bool& try_covariance) {
        share(done / (done + 1.5));  // how many there will be is not known
        ++done;
        const AtRidge at(comparison, ridge);
        try_linear = try_linear && keep_better(linear, {ridge, 0}, at.scores.by_angle(), comparison.asked);
        try_covariance = try_covariance && try_covariances(at, comparison, strengths, with_covariances);
    };
    // One ridge after another for one kind of candidates, or for both at once.
    const auto walk = [&](double start, bool linear_too, bool covariances_too) {
        bool try_linear = linear_too, try_covariance = covariances_too;
        try_ridge(start, try_linear, try_covariance);
        const bool worth_more = try_covariance && (comparison.underrated ||
                                                   !clearly_better(linear.answers, with_covariances.answers,
                                                                   comparison.asked.weights));
        for (const double factor : {kRidgeFactor, 1 / kRidgeFactor}) {
            if (options.ridge > 0 || std::max(linear.accuracy, with_covariances.accuracy) >= kNoErrors) break;
            try_linear = linear_too && linear.settings.ridge == start;
            try_covariance = worth_more && with_covariances.settings.ridge == start;
            for (double ridge = start * factor; try_linear || try_covariance; ridge *= factor)
                try_ridge(ridge, try_linear, try_covariance);
        }
    };
    if (first.linear == first.covariances) {
        walk(first.linear, true, !strengths.empty());
    } else {
        walk(first.linear, true, false);
        if (!strengths.empty()) walk(first.covariances, false, true);
    }
    first = {linear.settings.ridge,
             strengths.empty() ? linear.settings.ridge : with_covariances.settings.ridge};
    const bool covariances =
        !strengths.empty() &&
        (options.covariance_strength > 0 ||
         (comparison.underrated
              ? linear.accuracy < kNoErrors &&
                    !clearly_better(linear.answers, with_covariances.answers, comparison.asked.weights)
              : clearly_better(with_covariances.answers, linear.answers, comparison.asked.weights)));
    return covariances ? std::move(with_covariances) : std::move(linear);
}

}  // namespace fearnet
