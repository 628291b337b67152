// Turns scores of new rows into p-values by what taught rows had, each scored as if it had not been taught.
#pragma once

#include <cstdint>
#include <functional>
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

// Sketches of scores, all higher for rows that look more familiar: of a row's score for its own class, class
// by class and of all rows, of how near a row is to the rows taught, in one or more ways, and of both
// together, the familiarity. The scores of a class must keep their scale while the model changes.
class LeftOutSketches {
  public:
    // A row is nearer than this share of the taught rows, or it counts as far. Less: unlike classes are found
    // less often by the distance; more: the distances of rows that are not far hide how well they fit a
    // class.
    static constexpr double kFarBelow = 0.005;

    explicit LeftOutSketches(std::size_t far = 1) : far_(far) {}

    // Scores of rows, each as if the row had not been taught.
    struct Scores {
        std::vector<double> own;               // for the class of the row; empty if they mean nothing yet
        std::vector<std::vector<double>> far;  // one list for each way
    };
    // How well row `row` fits the classes that it resembles, as a p-value; the sketches of `others` do not
    // know the row.
    using Fit = std::function<double(const LeftOutSketches& others, std::size_t row)>;
    // Adds rows of these classes, each class with the same weight. `classes` is the number of classes now,
    // those of the session included. `fit` is not called if `own` is empty.
    void add(const Scores& scores, std::span<const std::int32_t> columns, std::size_t classes,
             const Fit& fit);
    // Removes the sketch of a class. Its part in the sketches of all classes stays.
    void drop(std::size_t column);

    // Whether there is a row to compare with.
    bool ready() const { return sketched_ > 0; }
    // The classes whose scores have been added, not only how near their rows are.
    std::size_t classes_with_scores() const { return static_cast<std::size_t>(with_scores_); }
    // The familiarity of a row: the share of taught rows whose fit, lowered if the row is far, is no higher.
    double familiarity(double fit, std::span<const double> far) const;
    // The p-value of class k. The sketch of the class and that of all classes, which counts like a few rows.
    double class_p_value(std::size_t k, double own) const;

    std::size_t bytes() const;
    // Nothing before ready(). The names begin with "open.".
    void save(State& state) const;
    // Without scores if the state has none, or those of an earlier version. Throws Error when it is damaged.
    static LeftOutSketches load(const State& state, std::size_t classes, std::size_t far = 1);

  private:
    // Adds some of the rows to the sketches of classes and of far rows.
    void add_rows(const Scores& scores, std::span<const std::int32_t> columns,
                  std::span<const std::size_t> which);
    double lowered(double fit, std::span<const double> far) const;

    ScoreSketch own_, familiar_;
    std::vector<ScoreSketch> far_;
    std::vector<ScoreSketch> classes_;       // of a class without rows: empty
    std::vector<float> rows_;                // in the sketch of each class
    double sketched_ = 0, with_scores_ = 0;  // classes in far_, and in own_ and familiar_
};

}  // namespace fearnet
