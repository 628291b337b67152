#include "lab/baselines/self_organizing_map.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/math/distances.hpp"
#include "core/math/gemm.hpp"

namespace fearnet::lab {
namespace {

constexpr double kNegligible = 1e-3;

std::size_t nearest(std::span<const float> distances) {
    return static_cast<std::size_t>(std::min_element(distances.begin(), distances.end()) - distances.begin());
}

std::size_t steps_between(std::size_t a, std::size_t b) {
    return a < b ? b - a : a - b;
}

}  // namespace

float neighborhood(std::size_t column_steps, std::size_t row_steps, double radius) {
    const double square = static_cast<double>(column_steps * column_steps + row_steps * row_steps);
    if (square == 0) return 1;
    if (radius <= 0) return 0;
    const double h = std::exp(-square / (2 * radius * radius));
    return h < kNegligible ? 0 : static_cast<float>(h);
}

SelfOrganizingMap::SelfOrganizingMap(std::size_t side, MatrixView rows, Rng& rng)
    : side_(side), prototypes_(side * side, rows.cols) {
    for (std::size_t u = 0; u < units(); ++u) {
        std::copy_n(rows.row(rng.below(rows.rows)), rows.cols, prototypes_.row(u));
        norms_.push_back(math::squared_norm(prototypes_.row(u), width()));
    }
}

Matrix SelfOrganizingMap::squared_distances(MatrixView x) const {
    Matrix d(x.rows, units());
    math::gemm(math::Op::none, x, math::Op::transpose, prototypes_, d);
    for (std::size_t i = 0; i < x.rows; ++i) {
        const float norm = math::squared_norm(x.row(i), x.cols);
        float* row = d.row(i);
        for (std::size_t u = 0; u < units(); ++u) row[u] = std::max(0.0f, norm + norms_[u] - 2 * row[u]);
    }
    return d;
}

void SelfOrganizingMap::move_reference(const float* x, double rate, double radius) {
    std::vector<float> distances;
    for (std::size_t u = 0; u < units(); ++u)
        distances.push_back(math::squared_distance(x, prototypes_.row(u), width()));
    const std::size_t best = nearest(distances);
    for (std::size_t u = 0; u < units(); ++u) {
        const float share =
            static_cast<float>(rate) * neighborhood(steps_between(u % side_, best % side_),
                                                    steps_between(u / side_, best / side_), radius);
        float* w = prototypes_.row(u);
        for (std::size_t j = 0; j < width(); ++j) w[j] += share * (x[j] - w[j]);
        norms_[u] = math::squared_norm(w, width());
    }
}

void SelfOrganizingMap::save(State& state, const std::string& prefix) const {
    state.set(prefix + ".prototypes", prototypes_, ArrayKind::networks);
}

SelfOrganizingMap SelfOrganizingMap::load(const State& state, const std::string& prefix, std::size_t side,
                                          std::size_t width) {
    SelfOrganizingMap map;
    map.side_ = side;
    map.prototypes_ = state.matrix(prefix + ".prototypes", side * side, width);
    for (std::size_t u = 0; u < map.units(); ++u)
        map.norms_.push_back(math::squared_norm(map.prototypes_.row(u), width));
    return map;
}

MapSteps::MapSteps(SelfOrganizingMap& map)
    : map_(map),
      products_(map.units(), kRows),
      gram_(kRows, kRows),
      coefficients_(map.units(), kRows),
      kept_(map.units()),
      moved_(map.units()),
      distances_(map.units()) {}

void MapSteps::begin(MatrixView rows) {
    assert(rows.rows <= kRows && rows.cols == map_.width());
    rows_ = rows;
    products_.resize(map_.units(), rows.rows);
    gram_.resize(rows.rows, rows.rows);
    coefficients_.resize(map_.units(), rows.rows);
    math::gemm(math::Op::none, map_.prototypes_, math::Op::transpose, rows, products_);
    math::gemm(math::Op::none, rows, math::Op::transpose, rows, gram_);
    std::fill(moved_.begin(), moved_.end(), 0);
}

std::span<const float> MapSteps::squared_distances(std::size_t row) {
    const float norm = gram_(row, row);
    const float* product = products_.data() + row;
    const std::size_t stride = rows_.rows;
    for (std::size_t u = 0; u < distances_.size(); ++u)
        distances_[u] = std::max(0.0f, norm + map_.norms_[u] - 2 * product[u * stride]);
    return distances_;
}

void MapSteps::prepare_neighborhood(double radius) {
    if (radius == radius_) return;
    radius_ = radius;
    reach_ = 0;
    while (reach_ + 1 < map_.side() && neighborhood(reach_ + 1, 0, radius) > 0) ++reach_;
    neighborhood_.clear();
    for (std::size_t r = 0; r <= reach_; ++r)
        for (std::size_t c = 0; c <= reach_; ++c) neighborhood_.push_back(neighborhood(c, r, radius));
}

void MapSteps::move(std::size_t row, double rate, double radius) {
    prepare_neighborhood(radius);
    const std::size_t side = map_.side(), best = nearest(distances_);
    const std::size_t r0 = best / side, c0 = best % side;
    for (std::size_t r = r0 - std::min(r0, reach_); r < std::min(side, r0 + reach_ + 1); ++r)
        for (std::size_t c = c0 - std::min(c0, reach_); c < std::min(side, c0 + reach_ + 1); ++c) {
            const float h = neighborhood_[steps_between(r, r0) * (reach_ + 1) + steps_between(c, c0)];
            if (h > 0) move_unit(r * side + c, row, static_cast<float>(rate) * h);
        }
}

void MapSteps::move_unit(std::size_t unit, std::size_t row, float share) {
    const float keep = 1 - share;
    float* coefficients = coefficients_.row(unit);
    if (!moved_[unit]) {
        moved_[unit] = 1;
        kept_[unit] = 1;
        std::fill_n(coefficients, rows_.rows, 0.0f);
    }
    kept_[unit] *= keep;
    for (std::size_t j = 0; j < row; ++j) coefficients[j] *= keep;
    coefficients[row] = share;
    float* products = products_.row(unit);
    const float* gram = gram_.row(row);
    float& norm = map_.norms_[unit];
    norm = keep * keep * norm + 2 * share * keep * products[row] + share * share * gram[row];
    for (std::size_t j = row; j < rows_.rows; ++j) products[j] = keep * products[j] + share * gram[j];
}

void MapSteps::finish() {
    std::vector<std::size_t> units;
    for (std::size_t u = 0; u < moved_.size(); ++u)
        if (moved_[u]) units.push_back(u);
    if (units.empty()) return;
    moved_coefficients_.resize(units.size(), rows_.rows);
    for (std::size_t i = 0; i < units.size(); ++i)
        std::copy_n(coefficients_.row(units[i]), rows_.rows, moved_coefficients_.row(i));
    sums_.resize(units.size(), map_.width());
    math::gemm(math::Op::none, moved_coefficients_, math::Op::none, rows_, sums_);
    for (std::size_t i = 0; i < units.size(); ++i) {
        const std::size_t u = units[i];
        float* w = map_.prototypes_.row(u);
        const float *sum = sums_.row(i), keep = kept_[u];
        for (std::size_t j = 0; j < map_.width(); ++j) w[j] = keep * w[j] + sum[j];
        map_.norms_[u] = math::squared_norm(w, map_.width());  // no rounding is carried on
    }
}

}  // namespace fearnet::lab
