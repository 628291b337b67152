// Matrix multiplication: the hot path of everything. One file per backend implements it.
#pragma once

#include "fearnet/matrix.hpp"

namespace fearnet::math {

enum class Op { none, transpose };

// c = op(a) . op(b), or c += op(a) . op(b) when `accumulate`. Shapes are asserted: op(a) is m x k, op(b) is k
// x n, c is m x n. c must not overlap a or b.
void gemm(Op op_a, MatrixView a, Op op_b, MatrixView b, MutableMatrixView c, bool accumulate = false);

// The plain triple loop, for tests.
void gemm_reference(Op op_a, MatrixView a, Op op_b, MatrixView b, MutableMatrixView c,
                    bool accumulate = false);

// "onednn 2.6.3" or "eigen 3.4.0".
const char* gemm_backend();

}  // namespace fearnet::math
