#include "core/learners/plus/temperature.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

double likeliest_temperature(MatrixView scores, std::span<const std::int32_t> columns) {
    if (scores.rows == 0 || scores.cols < 2) return 1;
    // It has one minimum over 1/t, so over log t: golden sections close in on it.
    constexpr double kGolden = 0.6180339887498949;
    double high = std::log(kMostTemperature), low = -high;
    double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    double at_a = surprise(scores, columns, std::exp(a)), at_b = surprise(scores, columns, std::exp(b));
    if (at_a == at_b) return 1;  // all scores are equal: none is likelier than another
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
    return std::exp((low + high) / 2);
}

}  // namespace fearnet
