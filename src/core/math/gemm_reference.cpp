#include "core/math/gemm_shapes.hpp"

namespace fearnet::math {

void gemm_reference(Op op_a, MatrixView a, Op op_b, MatrixView b, MutableMatrixView c, bool accumulate) {
    const auto [m, n, k] = gemm_shape(op_a, a, op_b, b, c);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double sum = accumulate ? c(i, j) : 0.0;
            for (std::size_t p = 0; p < k; ++p)
                sum += static_cast<double>(op_a == Op::none ? a(i, p) : a(p, i)) *
                       static_cast<double>(op_b == Op::none ? b(p, j) : b(j, p));
            c(i, j) = static_cast<float>(sum);
        }
}

}  // namespace fearnet::math
