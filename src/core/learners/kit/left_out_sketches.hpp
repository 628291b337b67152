// Turns scores of new rows into p-values by what taught rows had, each scored as if it had not been taught.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/learners/kit/score_sketch.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

// Rows of a session that are scored as if they had not been taught: no row of a class of one.
struct LeftOutSample {
    // At most kPerClass rows of each class, evenly spread over its rows, and at most kMostScores /
    // counts.size() rows, but at least one of each class. `counts`: rows of each class, these included.
    static constexpr std::size_t kPerClass = 48, kMostScores = std::size_t{1} << 22;
    LeftOutSample(std::span<const std::int32_t> row_columns, std::span<const std::int64_t> counts);

    std::vector<std::size_t> rows;
    std::vector<std::int32_t> columns;  // their classes
};

// Sketches of scores, all higher for rows that look more familiar: the best score of a row, its score for its
// own class, of all rows and class by class, and how near the row is to the rows taught, in one or more ways.
// The scores of a class must keep their scale while the model changes. The best score of a row grows with the
// number of classes; its sketch follows.
class LeftOutSketches {
  public:
    // Share of the rows turned away that may be so only because they are far.
    static constexpr double kFarShare = 0.1;

    // Scores of one row each.
    struct Scores {
        // Empty if they mean nothing yet. `own_as_best` is the score for the own class in the units of
        // `best`.
        std::vector<double> best, own_as_best, own;
        std::vector<std::vector<double>> far;  // one for each way
    };

    explicit LeftOutSketches(std::size_t far = 1) : far_(far) {}

    // Adds the scores of rows of these classes, each class with the same weight. `classes` is the number of
    // classes now, those of the session included.
    void add(Scores scores, std::span<const std::int32_t> columns, std::size_t classes);
    // Removes the sketch of a class. Its part in the sketches of all classes stays.
    void drop(std::size_t column);

    // Whether there is a row to compare with.
    bool ready() const { return sketched_ > 0; }
    // The classes whose scores have been added, not only how near their rows are.
    std::size_t classes_with_scores() const { return static_cast<std::size_t>(with_scores_); }
    // The familiarity of a row: the smallest p-value of its scores, corrected for their number.
    double familiarity(double best, std::span<const double> far) const;
    // The p-value of class k. The sketch of the class and that of all classes, which counts like a few rows.
    double class_p_value(std::size_t k, double own) const;

    std::size_t bytes() const;
    // Nothing before ready(). The names begin with "open.".
    void save(State& state) const;
    // Without scores if the state has none. Throws Error when it is damaged.
    static LeftOutSketches load(const State& state, std::size_t classes, std::size_t far = 1);

  private:
    void follow(std::size_t classes);

    ScoreSketch best_, own_as_best_, own_;
    std::vector<ScoreSketch> far_;
    std::vector<ScoreSketch> classes_;       // of a class without rows: empty
    std::vector<float> rows_;                // in the sketch of each class
    double sketched_ = 0, with_scores_ = 0;  // classes in far_, and in best_ and own_
    double compared_ = 0;                    // number of classes that best_ is the best of
};

}  // namespace fearnet
