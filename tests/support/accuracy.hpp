// How often a learner is right.
#pragma once

#include "fearnet/data/feature_set.hpp"
#include "fearnet/learner.hpp"

namespace fearnet::test {

inline double accuracy(const Learner& learner, const Examples& e) {
    const auto answers = learner.predict(e.x);
    std::size_t right = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) right += answers[i] == e.labels[i];
    return static_cast<double>(right) / static_cast<double>(answers.size());
}

}  // namespace fearnet::test
