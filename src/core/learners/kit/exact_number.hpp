// One positive number in a saved state, exact: as its 64 bits.
#pragma once

#include <bit>
#include <cmath>
#include <string>

#include "fearnet/error.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

inline void set_exact(State& state, const std::string& name, double value) {
    state.set(name, std::vector<std::int64_t>{std::bit_cast<std::int64_t>(value)});
}

// Throws Error unless it is there, positive and finite.
inline double exact_positive(const State& state, const std::string& name) {
    const std::vector<std::int64_t>& bits = state.integer(name);
    const double value = bits.size() == 1 ? std::bit_cast<double>(bits[0]) : 0;
    if (!(value > 0) || !std::isfinite(value))
        throw Error("State: '" + name + "' must be one positive number, as its 64 bits");
    return value;
}

}  // namespace fearnet
