#include "fearnet/data/frames.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fearnet {
namespace {

// Correlations are accurate enough with this many rows.
constexpr std::size_t kMaxRows = 1000;
constexpr std::size_t kMinWidth = 8;      // of a frame
constexpr double kMinCorrelation = 0.25;  // of neighboring frames
// Several frames together are correlated with their neighbors, too. The finest division whose correlation is
// at least this share of the largest is therefore the one.
constexpr double kShareOfLargest = 0.9;

// At most kMaxRows of the rows, every feature with mean zero and length one; features that do not vary are
// zero.
Matrix standardized(MatrixView rows) {
    Matrix some(std::min(rows.rows, kMaxRows), rows.cols);
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

// The mean correlation of features that are `lag` apart.
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
    if (rows.cols < 2 * kMinWidth || rows.rows < 2) return 1;
    const Matrix standard = standardized(rows);
    std::vector<std::pair<std::size_t, double>> divisions;  // width of a frame, correlation
    double largest = kMinCorrelation;
    for (std::size_t width = kMinWidth; width <= rows.cols / 2; ++width)
        if (rows.cols % width == 0) {
            divisions.emplace_back(width, correlation(standard, width));
            largest = std::max(largest, divisions.back().second);
        }
    for (const auto& [width, c] : divisions)
        if (c > kMinCorrelation && c >= kShareOfLargest * largest) return rows.cols / width;
    return 1;
}

bool frames_are_unset(const LearnerSpec& spec) {
    const std::vector<std::string> registered = learner_names();
    if (std::find(registered.begin(), registered.end(), spec.learner) == registered.end()) return false;
    if (std::any_of(spec.settings.begin(), spec.settings.end(),
                    [](const auto& setting) { return setting.first == kFramesOption; }))
        return false;
    const std::vector<OptionText> options = learner_options(spec.learner, spec.preset);
    return std::any_of(options.begin(), options.end(),
                       [](const OptionText& o) { return o.name == kFramesOption && o.value == "1"; });
}

void set_frames(LearnerSpec& spec, MatrixView base_rows) {
    if (frames_are_unset(spec))
        spec.settings.emplace_back(kFramesOption, std::to_string(find_frames(base_rows)));
}

}  // namespace fearnet
