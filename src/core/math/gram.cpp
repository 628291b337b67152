#include "core/math/gram.hpp"

#include <algorithm>
#include <cassert>

#include "core/math/gemm.hpp"
#include "core/math/transposed.hpp"
#include "core/math/vectorized.hpp"

namespace fearnet::math {
namespace {

// Rows of the sum in one matrix product: enough for it to be fast, few enough to leave most of the upper
// triangle out.
constexpr std::size_t kRows = 128;
constexpr std::size_t kTile = 64;  // turned at once, so that both sides stay in the cache

}  // namespace

void add_gram(MatrixView rows, MutableMatrixView sum) {
    assert(sum.rows == rows.cols && sum.cols == rows.cols);
    if (rows.rows == 0) return;
    // Without AVX-512, products with a transposed first factor are slow, see gemm_onednn.cpp.
    const bool direct = instruction_set() == InstructionSet::avx512;
    Matrix memory;
    const MatrixView columns = direct ? MatrixView{} : transposed(rows, memory);
    for (std::size_t first = 0; first < sum.rows; first += kRows) {
        const std::size_t size = std::min(kRows, sum.rows - first), last = first + size;
        const MutableMatrixView to{sum.data + first * sum.stride, size, last, sum.stride};
        if (direct)
            gemm(Op::transpose, {rows.data + first, rows.rows, size, rows.stride}, Op::none,
                 {rows.data, rows.rows, last, rows.stride}, to, true);
        else
            gemm(Op::none, columns.slice(first, size), Op::transpose, columns.slice(0, last), to, true);
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
