// From scores to probabilities.
#pragma once

#include <cstdint>
#include <span>

#include "fearnet/matrix.hpp"

namespace fearnet {

// The softmax temperature of a row is
//     t = temperature (m / margin + kLeastRatio)^exponent,   m = the row's highest score less its mean score.
// With exponent 0 it is the same for all rows. With exponent 1 only the ratios of a row's scores count: rows
// of large scores are then no surer than others.
struct Calibration {
    static constexpr double kLeastRatio = 1e-3;
    double temperature = 1, exponent = 0, margin = 1;

    // Turns the scores of a row into logits: softmax makes probabilities of them.
    void apply(std::span<float> scores) const;
    // Fits the temperature to rows of some of the classes again: its logarithm becomes the mean over all
    // classes, where the others keep the old one. The exponent and the margin stay.
    void refit(Matrix scores, std::span<const std::int32_t> columns, std::size_t classes);
};

// The calibration that gives the rows' own columns the largest likelihood, with a temperature between
// 1 / kMostTemperature and kMostTemperature. It counts as if one row more had been of any other column, so
// that few rows that are all right do not make it sure of everything.
inline constexpr double kMostTemperature = 1000;
Calibration likeliest_calibration(Matrix scores, std::span<const std::int32_t> columns);

// The same with exponent 0: the temperature. 1 without rows.
double likeliest_temperature(MatrixView scores, std::span<const std::int32_t> columns);

}  // namespace fearnet
