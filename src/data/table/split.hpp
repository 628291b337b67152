// Holding out test rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fearnet/data/feature_set.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

// Which rows to hold out: of every class the nearest whole number to `fraction` of its rows, but at least
// one, and at least one stays. Drawn at random from `seed`; the choice for a class depends only on the seed,
// the class and how many rows it has. Throws Error unless 0 < fraction < 1 and every class has two rows.
std::vector<bool> hold_out(const std::vector<ClassId>& labels, const std::vector<std::string>& names,
                           double fraction, std::uint64_t seed, const std::string& what);

// Puts the rows into `set`, in their order, by `is_test`, one entry per row.
void split_rows(Matrix x, const std::vector<ClassId>& labels, const std::vector<bool>& is_test,
                FeatureSet& set);

}  // namespace fearnet
