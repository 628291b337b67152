// Rows that are far from any data set: noise, and rows of other data.
#pragma once

#include "fearnet/matrix.hpp"
#include "fearnet/rng.hpp"

namespace fearnet::lab {

// All functions scale each row to `length`, so that its length does not give it away. Rows of zeros stay.

// Absolute values of standard normal numbers.
Matrix gaussian_noise(std::size_t rows, std::size_t width, double length, Rng rng);
// Uniform in 0..1.
Matrix uniform_noise(std::size_t rows, std::size_t width, double length, Rng rng);
// At most `most` rows of `data`, drawn without replacement; narrower rows are padded with zeros, wider rows
// cut.
Matrix fitted_rows(MatrixView data, std::size_t most, std::size_t width, double length, Rng rng);

// Mean Euclidean length of the rows; 0 without rows.
double mean_length(MatrixView rows);

}  // namespace fearnet::lab
