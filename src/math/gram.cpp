#include "math/gram.hpp"

#include <algorithm>
#include <cassert>

#include "base/parallel.hpp"
#include "fearnet/base/threads.hpp"
#include "math/gemm.hpp"

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
    const auto add_block = [&](std::size_t block) {
        const std::size_t first = block * kRows, size = std::min(kRows, sum.rows - first),
                          last = first + size;
        const MatrixView left{rows.data + first, rows.rows, size, rows.stride},
            right{rows.data, rows.rows, last, rows.stride};
        gemm(Op::transpose, left, Op::none, right, {sum.data + first * sum.stride, size, last, sum.stride},
             true);
    };
    const std::size_t blocks = (sum.rows + kRows - 1) / kRows;
    if (blocks < 2 * static_cast<std::size_t>(max_threads())) {
        for (std::size_t block = 0; block < blocks; ++block) add_block(block);  // threads share a block
        return;
    }
    // A thread per block is faster. Later blocks are longer: the first is done with the last, and so on.
    parallel_blocks(blocks, blocks, [&](std::size_t i, std::size_t, std::size_t) {
        add_block(i % 2 == 0 ? i / 2 : blocks - 1 - i / 2);
    });
}

void mirror_lower(MutableMatrixView m) {
    assert(m.rows == m.cols);
    for (std::size_t first = 0; first < m.rows; first += kTile)
        for (std::size_t j = 0; j < m.rows; ++j)
            for (std::size_t i = std::max(first, j + 1); i < std::min(m.rows, first + kTile); ++i)
                m.data[j * m.stride + i] = m.data[i * m.stride + j];
}

}  // namespace fearnet::math
