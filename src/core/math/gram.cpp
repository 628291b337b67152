#include "core/math/gram.hpp"

#include <algorithm>
#include <cassert>

#include "core/math/gemm.hpp"

namespace fearnet::math {
namespace {

// Rows of the sum in one matrix product: enough for it to be fast (oneDNN takes as long for 256 of 2,048 as
// for 512), few enough to leave most of the upper triangle out.
constexpr std::size_t kRows = 512;
constexpr std::size_t kTile = 64;  // turned at once, so that both sides stay in the cache

}  // namespace

void add_gram(MatrixView rows, MutableMatrixView sum) {
    assert(sum.rows == rows.cols && sum.cols == rows.cols);
    if (rows.rows == 0) return;
    for (std::size_t first = 0; first < sum.rows; first += kRows) {
        const std::size_t size = std::min(kRows, sum.rows - first), last = first + size;
        const MatrixView left{rows.data + first, rows.rows, size, rows.stride},
            right{rows.data, rows.rows, last, rows.stride};
        gemm(Op::transpose, left, Op::none, right, {sum.data + first * sum.stride, size, last, sum.stride},
             true);
    }
}

void mirror_lower(MutableMatrixView m) {
    assert(m.rows == m.cols);
    for (std::size_t first = 0; first < m.rows; first += kTile)
        for (std::size_t j = 0; j < m.rows; ++j)
            for (std::size_t i = std::max(first, j + 1); i < std::min(m.rows, first + kTile); ++i)
                m.data[j * m.stride + i] = m.data[i * m.stride + j];
}

}  // namespace fearnet::math
