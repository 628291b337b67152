// Learns what usual rows look like, from usual rows alone, and says of others whether they fit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/progress.hpp"
#include "fearnet/state.hpp"

namespace fearnet::lab {

// Made by the fit function of its kind; does not change afterwards, so it may be asked from several threads.
class OutlierDetector {
  public:
    virtual ~OutlierDetector() = default;

    // One number per row: 0 or more for a row that fits, below 0 for an outlier; larger fits better. Sizes
    // mean something only within one detector.
    virtual std::vector<double> decision(MatrixView rows) const = 0;
    virtual std::size_t width() const = 0;
    virtual std::size_t bytes() const = 0;
    // Under keys that begin with `prefix`. Each kind has a load that throws Error when a part is missing.
    virtual void save(State& state, const std::string& prefix) const = 0;
};

// The value below which `share` of the values lie, interpolated between neighbours as NumPy does. Values are
// not empty.
double quantile(std::vector<double> values, double share);
// The smallest float that is not below `value`: a limit kept as a float still admits what was equal to it.
float float_above(double value);

}  // namespace fearnet::lab
