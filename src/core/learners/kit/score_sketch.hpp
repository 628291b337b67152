// A few quantiles of scores that were seen, to turn a new score into a p-value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fearnet {

// The values below which a given share of the scores lies. Between two of them the share is interpolated in
// its logarithm; below the first and above the last it is extrapolated exponentially.
class ScoreSketch {
  public:
    static constexpr std::array<double, 12> kShares = {0.005, 0.01, 0.02, 0.05, 0.1, 0.15,
                                                       0.2,   0.3,  0.4,  0.5,  0.7, 0.9};
    ScoreSketch() = default;
    // Of these scores, each with a positive weight; at least one.
    ScoreSketch(std::vector<double> scores, std::span<const double> weights);
    // Of quantiles in ascending order, as quantiles() returned them. Throws Error for others.
    explicit ScoreSketch(std::span<const float> quantiles);

    bool empty() const { return empty_; }
    // The share of scores that are at most this one, 0 to 1; 1 if the sketch is empty.
    double p_value(double score) const;
    // The sketch of both sets of scores together; the weights are those of all scores of a set.
    static ScoreSketch merged(const ScoreSketch& a, double weight_a, const ScoreSketch& b, double weight_b);
    // The sketch of the largest of more scores, or of fewer. `largest` is that of the largest of a row's own
    // score, which is in `own`, and of others; the result is that with `factor` times as many others, each as
    // the ones before. `factor` is positive.
    static ScoreSketch with_more_others(const ScoreSketch& largest, const ScoreSketch& own, double factor);
    // One per share of kShares.
    std::span<const float> quantiles() const { return quantiles_; }

  private:
    std::array<float, kShares.size()> quantiles_{};
    bool empty_ = true;
};

// Weights of rows of these classes with which all classes have the same weight.
std::vector<double> equal_class_weights(std::span<const std::int32_t> columns);

}  // namespace fearnet
