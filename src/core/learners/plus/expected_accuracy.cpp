#include "core/learners/plus/expected_accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/parallel.hpp"
#include "fearnet/rng.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kSamples = 256;
// The classes with the highest scores for a class's mean; only these are confused with it.
constexpr std::size_t kRivals = 64;
constexpr std::size_t kClassesAtOnce = 256;
constexpr float kMaxSpread = 1000;

}  // namespace

PseudoRows::PseudoRows(const LinearReadout& readout, const ClassMoments& moments,
                       const SharedCovariance& covariance)
    : readout_(readout), moments_(moments) {
    Matrix samples(kSamples, moments.width());
    Rng(1).fill_normal({samples.data(), samples.size()});
    covariance.color(samples);
    noise_ = readout.scores(samples);
    for (std::size_t i = 0; i < noise_.rows(); ++i)
        for (std::size_t c = 0; c < noise_.cols(); ++c) noise_(i, c) -= readout.bias[c];
}

template <class F>
void PseudoRows::for_each_mean(const F& f) const {
    const std::size_t classes = moments_.classes(), some = std::min(classes, kRivals + 1);
    for (std::size_t begin = 0; begin < classes; begin += kClassesAtOnce) {
        const std::size_t count = std::min(kClassesAtOnce, classes - begin);
        const Matrix scores = readout_.scores(moments_.means.view().slice(begin, count));
        parallel_range(count, 1, [&](std::size_t first, std::size_t last) {
            std::vector<std::size_t> order(classes);
            AtMean at;
            for (std::size_t r = first; r < last; ++r) {
                at.own = begin + r;
                const float* at_mean = scores.row(r);
                at.own_score = at_mean[at.own] * (own_factors_.empty() ? 1 : own_factors_[at.own]);
                std::iota(order.begin(), order.end(), 0);
                std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(some - 1),
                                 order.end(),
                                 [&](std::size_t a, std::size_t b) { return at_mean[a] > at_mean[b]; });
                at.rivals.clear(), at.scores.clear();
                for (std::size_t i = 0; i < some; ++i)
                    if (order[i] != at.own)
                        at.rivals.push_back(order[i]), at.scores.push_back(at_mean[order[i]]);
                f(at);
            }
        });
    }
}

// Class k wins over class c when spread (noise_k - noise_c) exceeds what c's score is ahead at its mean. A
// class whose own mean is another class's has the limit 0.
template <class F>
void PseudoRows::for_each_class(const F& f) const {
    for_each_mean([&](const AtMean& at) {
        std::vector<float> limits(kSamples);
        for (std::size_t m = 0; m < kSamples; ++m) {
            limits[m] = kMaxSpread;
            const float* noise = noise_.row(m);
            for (std::size_t i = 0; i < at.rivals.size(); ++i) {
                const float more = noise[at.rivals[i]] - noise[at.own], ahead = at.own_score - at.scores[i];
                if (more > 0) limits[m] = std::min(limits[m], std::max(0.0f, ahead / more));
            }
        }
        f(at.own, std::span<float>(limits));
    });
}

std::vector<std::vector<std::pair<std::size_t, double>>> PseudoRows::confusions(
    std::span<const float> spreads, std::size_t most) const {
    std::vector<std::vector<std::pair<std::size_t, double>>> result(spreads.size());
    for_each_mean([&](const AtMean& at) {
        const float spread = spreads[at.own];
        if (!(spread > 0)) return;
        std::vector<std::size_t> wins(at.rivals.size());
        std::size_t errors = 0;
        for (std::size_t m = 0; m < kSamples; ++m) {
            const float* noise = noise_.row(m);
            float best = at.own_score + spread * noise[at.own];
            std::size_t winner = wins.size();
            for (std::size_t i = 0; i < at.rivals.size(); ++i)
                if (const float s = at.scores[i] + spread * noise[at.rivals[i]]; s > best)
                    best = s, winner = i;
            if (winner < wins.size()) ++wins[winner], ++errors;
        }
        auto& mine = result[at.own];
        for (std::size_t i = 0; i < wins.size(); ++i)
            if (wins[i] > 0)
                mine.emplace_back(at.rivals[i], static_cast<double>(wins[i]) / static_cast<double>(errors));
        std::sort(mine.begin(), mine.end(), [](const auto& l, const auto& r) {
            return l.second != r.second ? l.second > r.second : l.first < r.first;
        });
        if (mine.size() > most) mine.resize(most);
    });
    return result;
}

std::vector<double> PseudoRows::accuracies(std::span<const float> spreads) const {
    std::vector<double> result(spreads.size());
    for_each_class([&](std::size_t c, std::span<float> limits) {
        if (!(spreads[c] > 0)) return;
        const auto right =
            std::count_if(limits.begin(), limits.end(), [&](float limit) { return limit > spreads[c]; });
        result[c] = static_cast<double>(right) / static_cast<double>(kSamples);
    });
    return result;
}

void PseudoRows::fit(std::span<const double> accuracies, std::span<float> spreads) const {
    for_each_class([&](std::size_t c, std::span<float> limits) {
        if (accuracies[c] < 0) return;
        std::sort(limits.begin(), limits.end());
        const double at = (1 - accuracies[c]) * static_cast<double>(kSamples);
        const auto i = std::min(kSamples - 1, static_cast<std::size_t>(at));
        // Between two samples, so that the share above is the accuracy.
        const float below = i > 0 ? limits[i - 1] : 0.0f;
        spreads[c] = std::max(1e-6f, (below + limits[i]) / 2);
    });
}

}  // namespace fearnet
