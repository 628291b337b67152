// P-values of the best score of a row among those for all classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/learners/kit/score_sketch.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

// The best score of a row grows with the number of classes; the sketch of the taught rows' best scores
// follows.
class BestScores {
  public:
    // The number of classes has changed.
    void follow(std::size_t classes);
    // Adds the scores of rows of these classes, each class with the same weight. `own` are the scores for the
    // own classes, in the same units.
    void add(std::span<const double> best, std::span<const double> own, std::span<const std::int32_t> columns,
             std::size_t classes);
    // The share of taught rows with at most this best score; 1 before there are any.
    double p_value(double best) const { return best_.p_value(best); }

    std::size_t bytes() const { return 2 * sizeof(ScoreSketch); }
    // Nothing before rows were added. The names begin with "open.best".
    void save(State& state) const;
    // Throws Error when it is damaged or has none.
    static BestScores load(const State& state);

  private:
    ScoreSketch best_, own_;
    double classes_ = 0;   // classes whose rows were added
    double compared_ = 0;  // number of classes that best_ is the best of
};

}  // namespace fearnet
