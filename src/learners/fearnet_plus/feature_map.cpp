#include "learners/fearnet_plus/feature_map.hpp"

#include <cmath>
#include <vector>

#include "learners/baselines/power_transform.hpp"

namespace fearnet {

FeatureMap::FeatureMap(MatrixView rows, bool root) : root_(root), center_(1, rows.cols) {
    Matrix given(rows);
    if (root_) power_transform(given, 0.5);
    std::vector<double> sum(rows.cols), squares(rows.cols);
    for (std::size_t i = 0; i < given.rows(); ++i)
        for (std::size_t j = 0; j < given.cols(); ++j) {
            const auto v = static_cast<double>(given(i, j));
            sum[j] += v, squares[j] += v * v;
        }
    const auto n = static_cast<double>(given.rows());
    double deviation = 0;
    for (std::size_t j = 0; j < given.cols(); ++j) {
        const double mean = sum[j] / n;
        center_(0, j) = static_cast<float>(mean);
        deviation +=
            std::sqrt(std::max(0.0, squares[j] / n - mean * mean)) / static_cast<double>(given.cols());
    }
    if (deviation > 1e-12) scale_ = static_cast<float>(1 / deviation);
}

Matrix FeatureMap::operator()(MatrixView x) const {
    Matrix result(x);
    if (root_) power_transform(result, 0.5);
    for (std::size_t i = 0; i < result.rows(); ++i) {
        float* row = result.row(i);
        for (std::size_t j = 0; j < result.cols(); ++j) row[j] = (row[j] - center_(0, j)) * scale_;
    }
    return result;
}

void FeatureMap::save(State& state) const {
    state.set("map.root", std::vector<std::int64_t>{root_});
    state.set("map.center", center_);
    Matrix scale(1, 1);
    scale(0, 0) = scale_;
    state.set("map.scale", std::move(scale));
}

FeatureMap FeatureMap::load(const State& state, std::size_t width) {
    FeatureMap map;
    map.root_ = state.integer("map.root") == std::vector<std::int64_t>{1};
    map.center_ = state.matrix("map.center", 1, width);
    map.scale_ = state.matrix("map.scale", 1, 1)(0, 0);
    if (!(map.scale_ > 0) || !std::isfinite(map.scale_))
        throw Error("State: 'map.scale' must be one positive number");
    return map;
}

}  // namespace fearnet
