// What the parts of the closed_form benchmark share.
#pragma once

#include <chrono>
#include <cmath>
#include <vector>

#include "fearnet/data/feature_set.hpp"

namespace fearnet::bench {

// Non-negative, with variances that fall from feature to feature as those of a network's principal axes do,
// and of length one. The smaller the distance of the classes, the more answers are wrong.
Examples random_classes(std::size_t first, std::size_t classes, std::size_t rows, std::size_t features,
                        float distance = 1);

// A distance at which the leave-one-out accuracy of base sessions is between 40 and 99 %.
inline float hard_distance(std::size_t features) {
    return 4 / std::sqrt(static_cast<float>(features));
}

template <class Work>
double milliseconds(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values);

// The costs of FearNet plus and LDA by number of classes: prints a table and a line of JSON.
void growth(const std::vector<std::size_t>& classes);

}  // namespace fearnet::bench
