#include "core/learners/plus/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "core/base/parallel.hpp"

namespace fearnet {
namespace {

// Minus the mean log probability of the rows' columns, of which a small share are others.
double surprise(MatrixView scores, std::span<const std::int32_t> columns, double temperature) {
    const double others = 1 / static_cast<double>(scores.rows + 2);
    constexpr std::size_t kBlocks = 16;
    double sums[kBlocks] = {};
    parallel_blocks(scores.rows, kBlocks, [&](std::size_t block, std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const std::span<const float> row = scores.row_span(i);
            const auto best = static_cast<double>(*std::max_element(row.begin(), row.end())),
                       own = static_cast<double>(row[static_cast<std::size_t>(columns[i])]);
            double all = 0, below = 0;  // how far the row's scores are below the best, together
            for (const float s : row) {
                all += std::exp((static_cast<double>(s) - best) / temperature);
                below += best - static_cast<double>(s);
            }
            const double rest =
                row.size() > 1 ? (below - (best - own)) / static_cast<double>(row.size() - 1) : 0;
            sum += std::log(all) + ((1 - others) * (best - own) + others * rest) / temperature;
        }
        sums[block] = sum;
    });
    double sum = 0;
    for (const double s : sums) sum += s;
    return sum / static_cast<double>(scores.rows);
}

struct Fit {
    double temperature = 1, surprise = 0;
};

Fit fit_temperature(MatrixView scores, std::span<const std::int32_t> columns) {
    if (scores.rows == 0 || scores.cols < 2) return {};
    // It has one minimum over 1/t, so over log t: golden sections close in on it.
    constexpr double kGolden = 0.6180339887498949;
    double high = std::log(kMostTemperature), low = -high;
    double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    double at_a = surprise(scores, columns, std::exp(a)), at_b = surprise(scores, columns, std::exp(b));
    if (at_a == at_b) return {1, at_a};  // all scores are equal: none is likelier than another
    while (high - low > 0.01) {
        if (at_a < at_b) {
            high = b, b = a, at_b = at_a;
            a = high - kGolden * (high - low);
            at_a = surprise(scores, columns, std::exp(a));
        } else {
            low = a, a = b, at_a = at_b;
            b = low + kGolden * (high - low);
            at_b = surprise(scores, columns, std::exp(b));
        }
    }
    return {std::exp((low + high) / 2), std::min(at_a, at_b)};
}

// The highest score of a row less its mean score.
double margin_of(std::span<const float> scores) {
    double sum = 0;
    for (const float s : scores) sum += static_cast<double>(s);
    return static_cast<double>(*std::max_element(scores.begin(), scores.end())) -
           sum / static_cast<double>(scores.size());
}

// Not zero for a row of equal scores.
double ratio_of(double margin, double typical) {
    return std::max(0.0, margin / typical) + Calibration::kLeastRatio;
}

}  // namespace

void Calibration::apply(std::span<float> scores) const {
    const double ratio = exponent > 0 ? ratio_of(margin_of(scores), margin) : 1,
                 inverse = 1 / (temperature * std::pow(ratio, exponent));
    const float best = *std::max_element(scores.begin(), scores.end());
    for (float& s : scores) s = static_cast<float>(static_cast<double>(s - best) * inverse);
}

void Calibration::refit(Matrix scores, std::span<const std::int32_t> columns, std::size_t classes) {
    if (columns.empty()) return;
    const Calibration same{1, exponent, margin};
    for (std::size_t i = 0; i < scores.rows(); ++i) same.apply({scores.row(i), scores.cols()});
    const double share = static_cast<double>(std::set<std::int32_t>(columns.begin(), columns.end()).size()) /
                         static_cast<double>(classes);
    temperature *= std::pow(likeliest_temperature(scores, columns) / temperature, share);
}

double likeliest_temperature(MatrixView scores, std::span<const std::int32_t> columns) {
    return fit_temperature(scores, columns).temperature;
}

Calibration likeliest_calibration(Matrix scores, std::span<const std::int32_t> columns) {
    constexpr double kStep = 0.25;
    std::vector<double> margins;
    for (std::size_t i = 0; i < scores.rows(); ++i) margins.push_back(margin_of({scores.row(i), scores.cols()}));
    const double sum = std::accumulate(margins.begin(), margins.end(), 0.0);
    Fit best = fit_temperature(scores, columns);
    Calibration result{best.temperature, 0, 1};
    if (!(sum > 0)) return result;
    result.margin = std::clamp(sum / static_cast<double>(margins.size()), 1e-30, 1e30);
    for (double exponent = kStep; exponent <= 1; exponent += kStep) {
        parallel_range(scores.rows(), 64, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const auto factor = static_cast<float>(std::pow(ratio_of(margins[i], result.margin), -kStep));
                for (std::size_t c = 0; c < scores.cols(); ++c) scores(i, c) *= factor;
            }
        });
        const Fit fit = fit_temperature(scores, columns);
        if (!(fit.surprise < best.surprise)) break;
        best = fit;
        result.temperature = fit.temperature, result.exponent = exponent;
    }
    return result;
}

}  // namespace fearnet
