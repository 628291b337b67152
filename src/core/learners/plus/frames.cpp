#include "core/learners/plus/frames.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fearnet {
namespace {

// Rows looked at: correlations are good enough with these.
constexpr std::size_t kLookAt = 1000;
// Two pieces of one row go together, too: of cuts that correlate as much but for this share it is the finest.
constexpr double kAsMuch = 0.9;

// Some of the rows, every feature with mean zero and length one; features that do not vary are zero.
Matrix standardized(MatrixView rows) {
    Matrix some(std::min(rows.rows, kLookAt), rows.cols);
    std::vector<double> sum(rows.cols), squares(rows.cols);
    for (std::size_t i = 0; i < some.rows(); ++i) {
        const float* from = rows.row(i * rows.rows / some.rows());
        for (std::size_t j = 0; j < rows.cols; ++j) {
            some(i, j) = from[j];
            sum[j] += static_cast<double>(from[j]);
        }
    }
    const auto n = static_cast<double>(some.rows());
    for (std::size_t i = 0; i < some.rows(); ++i)
        for (std::size_t j = 0; j < rows.cols; ++j) {
            some(i, j) -= static_cast<float>(sum[j] / n);
            squares[j] += static_cast<double>(some(i, j)) * static_cast<double>(some(i, j));
        }
    for (std::size_t i = 0; i < some.rows(); ++i)
        for (std::size_t j = 0; j < rows.cols; ++j) {
            const double length = std::sqrt(squares[j]);
            some(i, j) = length > 1e-6 * std::abs(sum[j]) && std::isfinite(length)
                             ? static_cast<float>(static_cast<double>(some(i, j)) / length)
                             : 0;
        }
    return some;
}

// Of features that are `lag` apart, on average.
double correlation(const Matrix& standard, std::size_t lag) {
    double sum = 0;
    for (std::size_t i = 0; i < standard.rows(); ++i) {
        const float* row = standard.row(i);
        float of_row = 0;
        for (std::size_t j = 0; j + lag < standard.cols(); ++j) of_row += row[j] * row[j + lag];
        sum += static_cast<double>(of_row);
    }
    return sum / static_cast<double>(standard.cols() - lag);
}

}  // namespace

std::size_t find_frames(MatrixView rows) {
    if (rows.cols < 2 * kLeastPiece || rows.rows < 2) return 1;
    const Matrix standard = standardized(rows);
    std::vector<std::pair<std::size_t, double>> cuts;  // into pieces this wide; how they correlate
    double most = kCorrelated;
    for (std::size_t width = kLeastPiece; width <= rows.cols / 2; ++width)
        if (rows.cols % width == 0) {
            cuts.emplace_back(width, correlation(standard, width));
            most = std::max(most, cuts.back().second);
        }
    for (const auto& [width, c] : cuts)
        if (c > kCorrelated && c >= kAsMuch * most) return rows.cols / width;
    return 1;
}

}  // namespace fearnet
