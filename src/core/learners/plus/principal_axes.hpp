// The principal axes of the rows of a class, and what they add to scores.
#pragma once

#include <span>
#include <vector>

#include "fearnet/matrix.hpp"

namespace fearnet {

// Axes as sums of the rows: axis i = sum_j coefficients(i, j) row_j, of length one, largest variance first.
struct PrincipalAxes {
    Matrix coefficients;            // axes x rows
    std::vector<double> variances;  // divided by rows - 1
};
// The at most `most` principal axes of centered rows, given their products with each other.
PrincipalAxes principal_axes(MatrixView products, std::size_t most);

// The axes of all classes, class by class.
struct AxisTerms {
    std::vector<std::size_t> sizes;       // axes of each class
    std::vector<float> offsets, factors;  // of each axis
};
// Adds sum_i factor_i (x_i - offset_i)^2 over the axes of a class to its score, where `x` are the coordinates
// of a row along all axes. A class with fewer axes than the others receives the average contribution of the
// axes it lacks.
void add_axis_terms(MatrixView x, const AxisTerms& terms, MutableMatrixView scores);

// What class covariances of each strength would add to the scores of these rows, each found without the row
// itself, by cross-validation within every class. The rows are in units of the shared covariance, class by
// class.
std::vector<Matrix> held_out_axis_terms(MatrixView rows, std::span<const std::int32_t> columns,
                                        std::size_t classes, std::size_t most_axes,
                                        std::span<const double> strengths);

}  // namespace fearnet
