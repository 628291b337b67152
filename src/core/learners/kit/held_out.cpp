#include "core/learners/kit/held_out.hpp"

#include <algorithm>

namespace fearnet {

HeldOutSplit hold_out(std::span<const std::int32_t> columns, std::size_t classes, std::size_t fold) {
    HeldOutSplit split;
    std::vector<std::size_t> rows(classes), met(classes);
    for (const std::int32_t c : columns) ++rows[static_cast<std::size_t>(c)];
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto c = static_cast<std::size_t>(columns[i]);
        const bool held = ++met[c] % kFolds == fold && rows[c] >= kFolds;
        (held ? split.held : split.fit).push_back(i);
    }
    return split;
}

void ClassAccuracy::add(MatrixView scores, std::span<const std::int32_t> columns) {
    for (std::size_t i = 0; i < scores.rows; ++i) {
        const float* row = scores.row(i);
        const auto c = static_cast<std::size_t>(columns[i]);
        all_[c] += 1;
        right_[c] += static_cast<std::size_t>(std::max_element(row, row + scores.cols) - row) == c;
    }
}

double ClassAccuracy::mean() const {
    double sum = 0, classes = 0;
    for (std::size_t c = 0; c < all_.size(); ++c)
        if (all_[c] > 0) sum += right_[c] / all_[c], classes += 1;
    return classes > 0 ? sum / classes : 0;
}

}  // namespace fearnet
