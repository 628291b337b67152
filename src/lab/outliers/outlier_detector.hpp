// Outlier detection: fits a model to inliers and classifies other rows as inliers or outliers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/progress.hpp"
#include "fearnet/state.hpp"

namespace fearnet::lab {

// Made by the fit function of its kind and immutable afterwards, so it is thread-safe.
class OutlierDetector {
  public:
    virtual ~OutlierDetector() = default;

    // The decision value of each row: negative for an outlier, larger for a more typical row. Values of
    // different detectors are not comparable.
    virtual std::vector<double> decision(MatrixView rows) const = 0;
    virtual std::size_t width() const = 0;
    virtual std::size_t bytes() const = 0;
    // Under keys that begin with `prefix`. Each kind has a load that throws Error when a part is missing.
    virtual void save(State& state, const std::string& prefix) const = 0;
};

// The value below which `share` of the values lie, interpolated between neighbours as NumPy does. Values are
// not empty.
double quantile(std::vector<double> values, double share);
// The smallest float that is not below `value`: rounding a threshold up keeps values equal to it inside.
float float_above(double value);

}  // namespace fearnet::lab
