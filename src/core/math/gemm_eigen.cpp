// The portable backend: header-only Eigen, one thread per block of rows of c.
#include <Eigen/Core>

#include "core/base/parallel.hpp"
#include "core/math/gemm_shapes.hpp"

namespace fearnet::math {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>;
using MutableMap = Eigen::Map<RowMajor, 0, Eigen::OuterStride<>>;

ConstMap map(MatrixView v) {
    return {v.data, static_cast<Eigen::Index>(v.rows), static_cast<Eigen::Index>(v.cols),
            Eigen::OuterStride<>(static_cast<Eigen::Index>(v.stride))};
}

template <class A, class B>
void multiply(const A& a, const B& b, MutableMatrixView c, bool accumulate) {
    MutableMap out(c.data, static_cast<Eigen::Index>(c.rows), static_cast<Eigen::Index>(c.cols),
                   Eigen::OuterStride<>(static_cast<Eigen::Index>(c.stride)));
    if (accumulate)
        out.noalias() += a * b;
    else
        out.noalias() = a * b;
}

}  // namespace

void gemm(Op op_a, MatrixView a, Op op_b, MatrixView b, MutableMatrixView c, bool accumulate) {
    const auto [m, n, k] = gemm_shape(op_a, a, op_b, b, c);
    if (m == 0 || n == 0) return;
    constexpr std::size_t kRowsPerThread = 16;
    parallel_range(m, kRowsPerThread, [&](std::size_t begin, std::size_t end) {
        const MutableMatrixView part = c.slice(begin, end - begin);
        const auto first = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin);
        if (op_a == Op::none && op_b == Op::none)
            multiply(map(a).middleRows(first, count), map(b), part, accumulate);
        else if (op_a == Op::none)
            multiply(map(a).middleRows(first, count), map(b).transpose(), part, accumulate);
        else if (op_b == Op::none)
            multiply(map(a).middleCols(first, count).transpose(), map(b), part, accumulate);
        else
            multiply(map(a).middleCols(first, count).transpose(), map(b).transpose(), part, accumulate);
    });
}

const char* gemm_backend() {
    return "eigen "
#define FEARNET_TEXT2(x) #x
#define FEARNET_TEXT(x) FEARNET_TEXT2(x)
        FEARNET_TEXT(EIGEN_WORLD_VERSION) "." FEARNET_TEXT(EIGEN_MAJOR_VERSION) "." FEARNET_TEXT(
            EIGEN_MINOR_VERSION);
}

}  // namespace fearnet::math
