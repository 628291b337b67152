#include "core/math/transposed.hpp"

#include <algorithm>

#include "core/base/parallel.hpp"
#include "core/math/vectorized.hpp"

namespace fearnet::math {
namespace {

constexpr std::size_t kTile = 16;

// The columns [begin, end) of `m` become rows, tile by tile.
void transpose(MatrixView m, std::size_t begin, std::size_t end, Matrix& rows) {
    for (std::size_t c = begin; c < end; c += kTile)
        for (std::size_t r = 0; r < m.rows; r += kTile) {
            const std::size_t height = std::min(kTile, m.rows - r), width = std::min(kTile, end - c);
            if (height < kTile || width < kTile) {
                for (std::size_t i = 0; i < height; ++i)
                    for (std::size_t j = 0; j < width; ++j) rows(c + j, r + i) = m(r + i, c + j);
                continue;
            }
            float tile[kTile][kTile];
            for (std::size_t i = 0; i < kTile; ++i)
                for (std::size_t j = 0; j < kTile; ++j) tile[j][i] = m(r + i, c + j);
            for (std::size_t j = 0; j < kTile; ++j) std::copy_n(tile[j], kTile, rows.row(c + j) + r);
        }
}

}  // namespace

// Rows are an odd number of cache lines long: powers of two would all lie in the same sets of the cache.
MatrixView transposed(MatrixView m, Matrix& memory) {
    const std::size_t lines = (m.rows + kTile - 1) / kTile | 1;
    memory.resize(m.cols, lines * kTile);
    parallel_range(m.cols, 64,
                   vectorized([&](std::size_t begin, std::size_t end) { transpose(m, begin, end, memory); }));
    return {memory.data(), m.cols, m.rows, memory.cols()};
}

}  // namespace fearnet::math
