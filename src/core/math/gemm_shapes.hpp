// The sizes of one multiplication, checked once for both backends.
#pragma once

#include <cassert>

#include "core/math/gemm.hpp"

namespace fearnet::math {

struct GemmShape {
    std::size_t m, n, k;
};

inline GemmShape gemm_shape(Op op_a, MatrixView a, Op op_b, MatrixView b, [[maybe_unused]] MatrixView c) {
    const std::size_t m = op_a == Op::none ? a.rows : a.cols;
    const std::size_t k = op_a == Op::none ? a.cols : a.rows;
    const std::size_t n = op_b == Op::none ? b.cols : b.rows;
    assert((op_b == Op::none ? b.rows : b.cols) == k && c.rows == m && c.cols == n);
    return {m, n, k};
}

}  // namespace fearnet::math
