#include "data/frontends/pooling.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace fearnet {

void Pool::add(std::span<const float> values) {
    assert(values.size() == sum_.size());
    if (pooling_ == Pooling::first && count_ > 0) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
        sum_[i] += values[i];
        square_[i] += static_cast<double>(values[i]) * values[i];
    }
    ++count_;
}

void Pool::add_all(std::span<const float> values) {
    for (std::size_t at = 0; at + sum_.size() <= values.size(); at += sum_.size())
        add(values.subspan(at, sum_.size()));
}

std::vector<float> Pool::row() const {
    assert(count_ > 0);
    const auto n = static_cast<double>(count_);
    std::vector<float> row;
    for (const double sum : sum_) row.push_back(static_cast<float>(sum / n));
    if (pooling_ == Pooling::mean_and_deviation)
        for (std::size_t i = 0; i < sum_.size(); ++i) {
            const double mean = sum_[i] / n;
            row.push_back(static_cast<float>(std::sqrt(std::max(0.0, square_[i] / n - mean * mean))));
        }
    return row;
}

}  // namespace fearnet
