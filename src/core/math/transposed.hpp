// The transpose of a matrix.
#pragma once

#include "fearnet/matrix.hpp"

namespace fearnet::math {

// It lies in `memory`, which may be larger, and is valid as long as that.
MatrixView transposed(MatrixView m, Matrix& memory);

}  // namespace fearnet::math
