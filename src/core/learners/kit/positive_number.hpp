// One positive number in a saved state.
#pragma once

#include <cmath>
#include <string>

#include "fearnet/error.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

// Throws Error unless it is there, positive and finite.
inline double positive_number(const State& state, const std::string& name) {
    const double value = state.number(name);
    if (!(value > 0) || !std::isfinite(value))
        throw Error("State: '" + name + "' is " + std::to_string(value) + " but must be positive and finite");
    return value;
}

}  // namespace fearnet
