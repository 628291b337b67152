#include "core/learners/kit/score_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "fearnet/error.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kCount = ScoreSketch::kShares.size();

// On the line through (x0, log y0) and (x1, log y1); a step where x0 == x1.
double log_line(double x, double x0, double x1, double y0, double y1) {
    if (!(x1 > x0)) return x < x0 ? 0 : y1;
    return std::exp(std::log(y0) + (x - x0) / (x1 - x0) * (std::log(y1) - std::log(y0)));
}

}  // namespace

// Score i of n, sorted, is taken as the quantile of the share of the weights up to it, reduced by n / (n + 1)
// because a new score may lie above all. Below the lowest score an exponential tail is assumed, with the mean
// excess of the lowest tenth, but of at least ten scores: of so few the mean is uncertain, and what they
// predict of a new score is the Lomax distribution (1 + z / (m mean))^-m, whose tail is longer.
ScoreSketch::ScoreSketch(std::vector<double> scores, std::span<const double> weights) : empty_(false) {
    const std::size_t n = scores.size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0),
                 scale = static_cast<double>(n) / static_cast<double>(n + 1) / total;
    std::vector<double> x, share;
    double sum = 0;
    for (const std::size_t i : order) {
        sum += weights[i];
        x.push_back(scores[i]);
        share.push_back(sum * scale);
    }
    constexpr std::size_t kFewest = 10;
    const std::size_t tail = std::max({std::size_t{1}, n / 10, std::min(kFewest, n - 1)});
    double excess = 0;
    if (n > tail)
        for (std::size_t i = 0; i < tail; ++i) excess += (x[tail] - x[i]) / static_cast<double>(tail);
    const auto m = static_cast<double>(tail);
    for (std::size_t k = 0; k < kCount; ++k) {
        const double q = kShares[k];
        const auto above =
            static_cast<std::size_t>(std::upper_bound(share.begin(), share.end(), q) - share.begin());
        double value = x.back();
        if (above == 0)
            value = x[0] - m * excess * (std::pow(share[0] / q, 1 / m) - 1);
        else if (above < n)
            value = x[above - 1] +
                    (x[above] - x[above - 1]) * (q - share[above - 1]) / (share[above] - share[above - 1]);
        quantiles_[k] = static_cast<float>(value);
    }
}

ScoreSketch::ScoreSketch(std::span<const float> quantiles) : empty_(false) {
    if (quantiles.size() != kCount || !std::is_sorted(quantiles.begin(), quantiles.end()) ||
        !std::all_of(quantiles.begin(), quantiles.end(), [](float v) { return std::isfinite(v); }))
        throw Error("State: the quantiles of a sketch must be " + std::to_string(kCount) +
                    " ascending numbers");
    std::copy(quantiles.begin(), quantiles.end(), quantiles_.begin());
}

double ScoreSketch::p_value(double score) const {
    if (empty_) return 1;
    const auto above = static_cast<std::size_t>(
        std::upper_bound(quantiles_.begin(), quantiles_.end(), static_cast<float>(score)) -
        quantiles_.begin());
    const std::size_t i = std::clamp<std::size_t>(above, 1, kCount - 1);
    const double p = log_line(score, static_cast<double>(quantiles_[i - 1]),
                              static_cast<double>(quantiles_[i]), kShares[i - 1], kShares[i]);
    if (above == kCount && !(quantiles_[kCount - 1] > quantiles_[kCount - 2])) return 1;
    return std::min(1.0, p);
}

// The quantiles of the mixture, by bisection between those of its parts.
ScoreSketch ScoreSketch::merged(const ScoreSketch& a, double weight_a, const ScoreSketch& b,
                                double weight_b) {
    if (a.empty_ || !(weight_a > 0)) return b;
    if (b.empty_ || !(weight_b > 0)) return a;
    const double part = weight_a / (weight_a + weight_b);
    ScoreSketch result;
    result.empty_ = false;
    for (std::size_t k = 0; k < kCount; ++k) {
        auto low = static_cast<double>(std::min(a.quantiles_[k], b.quantiles_[k])),
             high = static_cast<double>(std::max(a.quantiles_[k], b.quantiles_[k]));
        for (int step = 0; step < 40 && high > low; ++step) {
            const double middle = low + (high - low) / 2;
            const double p = part * a.p_value(middle) + (1 - part) * b.p_value(middle);
            (p < kShares[k] ? low : high) = middle;
        }
        result.quantiles_[k] = static_cast<float>(high);
    }
    for (std::size_t k = 1; k < kCount; ++k)  // up to rounding they are in order already
        result.quantiles_[k] = std::max(result.quantiles_[k], result.quantiles_[k - 1]);
    return result;
}

// The probability that all others are below x, given that the own score is, is the ratio of the two p-values;
// of `factor` times as many others it is that power of the ratio.
ScoreSketch ScoreSketch::with_more_others(const ScoreSketch& largest, const ScoreSketch& own, double factor) {
    if (largest.empty_ || own.empty_) return largest;
    const auto share = [&](double x) {
        const double of_own = own.p_value(x);
        if (!(of_own > 0)) return 0.0;
        return of_own * std::pow(std::min(1.0, largest.p_value(x) / of_own), factor);
    };
    const auto first = static_cast<double>(std::min(largest.quantiles_.front(), own.quantiles_.front())),
               last = static_cast<double>(std::max(largest.quantiles_.back(), own.quantiles_.back())),
               span = std::max(last - first, 1e-6);
    ScoreSketch result;
    result.empty_ = false;
    for (std::size_t k = 0; k < kCount; ++k) {
        double low = first, high = last;
        for (int i = 0; i < 20 && share(low) >= kShares[k]; ++i) low -= span;
        for (int i = 0; i < 20 && share(high) < kShares[k]; ++i) high += span;
        for (int step = 0; step < 40 && high > low; ++step) {
            const double middle = low + (high - low) / 2;
            (share(middle) < kShares[k] ? low : high) = middle;
        }
        result.quantiles_[k] = static_cast<float>(high);
    }
    for (std::size_t k = 1; k < kCount; ++k)  // up to rounding they are in order already
        result.quantiles_[k] = std::max(result.quantiles_[k], result.quantiles_[k - 1]);
    return result;
}

std::vector<double> equal_class_weights(std::span<const std::int32_t> columns) {
    std::map<std::int32_t, double> count;
    for (const std::int32_t c : columns) ++count[c];
    std::vector<double> weights;
    for (const std::int32_t c : columns) weights.push_back(1 / count[c]);
    return weights;
}

}  // namespace fearnet
