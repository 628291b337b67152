// What FearNetPlus expects of its classes: accuracy, confusions, and the accuracy with more or fewer
// examples.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/learners/plus/plus_model.hpp"

namespace fearnet {

// As ClassReview, by column.
struct PlusClassReview {
    double accuracy = -1, error = -1, with_half = -1, with_twice = -1;
    std::vector<std::pair<std::size_t, double>> confusions;
};
// `recent` are the rows since the last sleep, which are part of the model. There are at least two classes.
std::vector<PlusClassReview> review_classes(const PlusModel& model, const PlusRows& recent);

}  // namespace fearnet
