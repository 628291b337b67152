// The chi-squared distribution: squared lengths of Gaussian vectors.
#pragma once

namespace fearnet::math {

// P(X <= x) for X with `freedom` > 0 degrees of freedom.
double chi_squared_probability(double x, double freedom);
// The x with P(X <= x) = probability, which lies strictly between 0 and 1.
double chi_squared_quantile(double probability, double freedom);

}  // namespace fearnet::math
