// One fifth of a session's rows held out, to choose a setting by.
#pragma once

#include "core/learners/kit/class_moments.hpp"

namespace fearnet {

struct HeldOutSplit {
    std::vector<std::size_t> fit, held;  // row numbers, ascending
};

// Holds out every fifth row of each class that has at least five, the rows in their order. The other folds, 1
// to 4, hold out the first, sixth, ... row, the second, seventh, ..., and so on.
constexpr std::size_t kFolds = 5;
HeldOutSplit hold_out(std::span<const std::int32_t> columns, std::size_t classes, std::size_t fold = 0);

// Counts right answers class by class, so that a large class weighs no more than a small one.
class ClassAccuracy {
  public:
    explicit ClassAccuracy(std::size_t classes) : right_(classes), all_(classes) {}
    // The best score of every row against its class.
    void add(MatrixView scores, std::span<const std::int32_t> columns);
    // Mean over the classes that have rows.
    double mean() const;

  private:
    std::vector<double> right_, all_;
};

}  // namespace fearnet
