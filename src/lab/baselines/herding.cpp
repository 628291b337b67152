#include "lab/baselines/herding.hpp"

#include <algorithm>
#include <cmath>

namespace fearnet::lab {
namespace {

std::vector<double> mean_of(MatrixView rows) {
    std::vector<double> mean(rows.cols, 0.0);
    for (std::size_t i = 0; i < rows.rows; ++i)
        for (std::size_t j = 0; j < rows.cols; ++j) mean[j] += static_cast<double>(rows(i, j));
    for (double& m : mean) m /= static_cast<double>(rows.rows);
    return mean;
}

double dot(const std::vector<double>& w, const float* row) {
    double sum = 0;
    for (std::size_t j = 0; j < w.size(); ++j) sum += w[j] * static_cast<double>(row[j]);
    return sum;
}

}  // namespace

void normalize_rows(MutableMatrixView rows) {
    for (std::size_t i = 0; i < rows.rows; ++i) {
        double square = 0;
        for (std::size_t j = 0; j < rows.cols; ++j)
            square += static_cast<double>(rows(i, j)) * static_cast<double>(rows(i, j));
        if (square == 0) continue;
        const float scale = static_cast<float>(1 / std::sqrt(square));
        for (std::size_t j = 0; j < rows.cols; ++j) rows(i, j) *= scale;
    }
}

void unit_mean(MatrixView rows, float* out) {
    const std::vector<double> mean = mean_of(rows);
    for (std::size_t j = 0; j < mean.size(); ++j) out[j] = static_cast<float>(mean[j]);
    normalize_rows({out, 1, mean.size()});
}

std::vector<std::size_t> herd(MatrixView unit_rows, std::size_t count) {
    const std::vector<double> mean = mean_of(unit_rows);
    std::vector<double> w = mean;
    std::vector<std::size_t> left(unit_rows.rows), chosen;
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    while (chosen.size() < count && !left.empty()) {
        std::size_t best = 0;
        double best_value = dot(w, unit_rows.row(left[0]));
        for (std::size_t i = 1; i < left.size(); ++i) {
            const double value = dot(w, unit_rows.row(left[i]));
            if (value > best_value) best = i, best_value = value;
        }
        const std::size_t row = left[best];
        for (std::size_t j = 0; j < w.size(); ++j) w[j] += mean[j] - static_cast<double>(unit_rows(row, j));
        chosen.push_back(row);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    }
    return chosen;
}

}  // namespace fearnet::lab
