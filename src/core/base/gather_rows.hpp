// Copies selected rows of a matrix.
#pragma once

#include <span>

#include "fearnet/matrix.hpp"

namespace fearnet {

void gather_rows(MatrixView from, std::span<const std::size_t> rows, Matrix& out);
// The same into existing rows.
void gather_rows(MatrixView from, std::span<const std::size_t> rows, MutableMatrixView out);

}  // namespace fearnet
