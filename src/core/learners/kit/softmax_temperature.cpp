#include "core/learners/kit/softmax_temperature.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "fearnet/error.hpp"

namespace fearnet {
namespace {

// A text of numbers: states written before there was a temperature have none, so that it may be missing.
constexpr const char* kKey = "temperature";

double grid_temperature(double k, int decades, int per_decade) {
    return std::pow(10.0, k / per_decade - decades);
}

}  // namespace

void SoftmaxTemperature::add(MatrixView scores, std::span<const std::int32_t> columns, double unit) {
    if (scores.cols < 2) return;
    std::array<double, kGrid> inverse;
    for (std::size_t k = 0; k < kGrid; ++k)
        inverse[k] = 1 / grid_temperature(static_cast<double>(k), kDecades, kPerDecade);
    std::vector<double> below(scores.cols);  // the best score, in units
    for (std::size_t i = 0; i < scores.rows; ++i) {
        const std::span<const float> row = scores.row_span(i);
        const auto best = static_cast<double>(*std::max_element(row.begin(), row.end()));
        double all = 0;
        for (std::size_t c = 0; c < row.size(); ++c)
            all += below[c] = (best - static_cast<double>(row[c])) / unit;
        const double own = below[static_cast<std::size_t>(columns[i])];
        own_ += own;
        other_ += (all - own) / static_cast<double>(row.size() - 1);
        for (std::size_t k = 0; k < kGrid; ++k) {
            double sum = 0;
            for (const double b : below) sum += std::exp(-b * inverse[k]);
            log_sums_[k] += std::log(sum);
        }
        rows_ += 1;
    }
}

// It counts as if one row in rows_ + 2 had been of another class: a few rows that are all right do not make
// it sure of everything.
double SoftmaxTemperature::loss(std::size_t k) const {
    const double others = 1 / (rows_ + 2);
    return log_sums_[k] + ((1 - others) * own_ + others * other_) /
                              grid_temperature(static_cast<double>(k), kDecades, kPerDecade);
}

double SoftmaxTemperature::value(double unit) const {
    if (rows_ == 0) return 1;
    std::size_t best = 0;
    for (std::size_t k = 1; k < kGrid; ++k)
        if (loss(k) < loss(best)) best = k;
    auto at = static_cast<double>(best);
    if (best > 0 && best + 1 < kGrid) {  // the lowest point of the parabola through three
        const double before = loss(best - 1), here = loss(best), after = loss(best + 1);
        const double bend = before - 2 * here + after;
        if (bend > 0) at += 0.5 * (before - after) / bend;
    }
    return unit * grid_temperature(at, kDecades, kPerDecade);
}

void SoftmaxTemperature::save(State& state) const {
    std::vector<double> numbers{rows_, own_, other_};
    numbers.insert(numbers.end(), log_sums_.begin(), log_sums_.end());
    state.set(kKey, std::move(numbers));
}

SoftmaxTemperature SoftmaxTemperature::load(const State& state) {
    SoftmaxTemperature result;
    const std::vector<double>& numbers = state.list<double>(kKey);
    if (numbers.size() != kGrid + 3 ||
        !std::all_of(numbers.begin(), numbers.end(), [](double n) { return n >= 0 && std::isfinite(n); }))
        throw Error("State: 'temperature' has " + std::to_string(numbers.size()) + " numbers but " +
                    std::to_string(kGrid + 3) + ", finite and none negative, are needed");
    result.rows_ = numbers[0], result.own_ = numbers[1], result.other_ = numbers[2];
    std::copy(numbers.begin() + 3, numbers.end(), result.log_sums_.begin());
    return result;
}

RowSample::RowSample(MatrixView rows, std::span<const std::int32_t> row_columns,
                     std::span<const std::int64_t> counts) {
    std::vector<std::size_t> usable;
    for (std::size_t i = 0; i < rows.rows; ++i)
        if (counts[static_cast<std::size_t>(row_columns[i])] > 1) usable.push_back(i);
    const std::size_t n = std::min(usable.size(), SoftmaxTemperature::kMostRows);
    x.resize(n, rows.cols);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t from = usable[i * usable.size() / n];
        std::copy_n(rows.row(from), rows.cols, x.row(i));
        columns.push_back(row_columns[from]);
    }
}

}  // namespace fearnet
