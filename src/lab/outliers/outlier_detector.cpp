#include "lab/outliers/outlier_detector.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace fearnet::lab {

double quantile(std::vector<double> values, double share) {
    assert(!values.empty() && share >= 0 && share <= 1);
    std::sort(values.begin(), values.end());
    const double place = share * static_cast<double>(values.size() - 1);
    const std::size_t below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

float float_above(double value) {
    const float near = static_cast<float>(value);
    return static_cast<double>(near) < value ? std::nextafter(near, std::numeric_limits<float>::infinity())
                                             : near;
}

}  // namespace fearnet::lab
