#include "server/routes/class_map.hpp"

#include <cmath>
#include <map>

namespace fearnet::server {
namespace {

constexpr int kRounds = 50;  // of the power iteration

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

// To length one; to zero if there is nothing but rounding errors beside `whole`.
void scale_to_one(Vector& v, double whole) {
    constexpr double kRounding = 1e-9;
    const double length = std::sqrt(dot(v, v));
    for (double& x : v) x = length > kRounding * whole ? x / length : 0;
}

void remove_part_along(Vector& v, const Vector& axis) {
    if (axis.empty()) return;
    const double along = dot(v, axis);
    for (std::size_t j = 0; j < v.size(); ++j) v[j] -= along * axis[j];
}

// The main axis of the centered rows that is orthogonal to `other`; zero if they have no extent there.
Vector main_axis(const std::vector<Vector>& rows, const Vector& other) {
    const std::size_t width = rows.front().size();
    Vector axis(width);
    for (std::size_t j = 0; j < width; ++j)
        axis[j] = std::cos(static_cast<double>(j + other.size()));  // any start
    scale_to_one(axis, 1);
    for (int round = 0; round < kRounds; ++round) {
        remove_part_along(axis, other);
        Vector next(width);
        double whole = 0;
        for (const Vector& row : rows) {
            const double place = dot(row, axis);
            for (std::size_t j = 0; j < width; ++j) next[j] += place * row[j];
            whole += dot(row, row);
        }
        axis = std::move(next);
        remove_part_along(axis, other);
        scale_to_one(axis, whole);
    }
    return axis;
}

}  // namespace

std::vector<ClassPoint> class_map(const Brain& brain) {
    const Matrix means = brain.learner().whitened_means();
    if (means.rows() == 0) return {};
    const std::vector<ClassId> ids = brain.learner().classes();
    std::map<std::string, std::pair<Vector, int>> sums;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        auto& [sum, count] = sums[brain.name_of(ids[i])];
        sum.resize(means.cols());
        for (std::size_t j = 0; j < means.cols(); ++j) sum[j] += static_cast<double>(means(i, j));
        ++count;
    }
    std::vector<Vector> rows;
    Vector center(means.cols());
    for (auto& [name, entry] : sums) {
        for (double& x : entry.first) x /= entry.second;
        rows.push_back(entry.first);
        for (std::size_t j = 0; j < center.size(); ++j)
            center[j] += entry.first[j] / static_cast<double>(sums.size());
    }
    for (Vector& row : rows)
        for (std::size_t j = 0; j < center.size(); ++j) row[j] -= center[j];
    const Vector first = main_axis(rows, {}), second = main_axis(rows, first);
    std::vector<ClassPoint> points;
    std::size_t i = 0;
    for (const auto& [name, entry] : sums) {
        points.push_back({name, dot(rows[i], first), dot(rows[i], second)});
        ++i;
    }
    return points;
}

}  // namespace fearnet::server
