// Sums of outer products, of which one triangle is enough.
#pragma once

#include "fearnet/matrix.hpp"

namespace fearnet::math {

// The lower triangle of `sum` += rows^T . rows, its diagonal too; what is above it is left undefined.
void add_gram(MatrixView rows, MutableMatrixView sum);

// Copies what is below the diagonal to above it.
void mirror_lower(MutableMatrixView m);

}  // namespace fearnet::math
