#include "core/math/distances.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "core/base/parallel.hpp"
#include "core/math/gemm.hpp"
#include "core/math/vectorized.hpp"

namespace fearnet::math {
namespace {

constexpr std::size_t kLanes =
    32;  // independent sums: four vector registers, whatever the compiler may reorder

template <class Term>
float sum_in_lanes(std::size_t n, const Term& term) {
    return vectorized([&term, n] {
        float sums[kLanes] = {};
        std::size_t j = 0;
        for (; j + kLanes <= n; j += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(j + lane);
        for (std::size_t lane = 0; j < n; ++j, ++lane) sums[lane] += term(j);
        for (std::size_t width = kLanes / 2; width > 0; width /= 2)
            for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
        return sums[0];
    })();
}

// d = norms - 2 d, n of them.
void norms_less_twice(const float* norms, float* d, std::size_t n) {
    vectorized([=] {
        for (std::size_t j = 0; j < n; ++j) d[j] = norms[j] - 2 * d[j];
    })();
}

// A few rows: reading u once is the whole cost, so compare directly.
void scan(MatrixView x, MatrixView u, std::span<float> out) {
    constexpr std::size_t kBlocks = 16;
    for (std::size_t i = 0; i < x.rows; ++i) {
        float best[kBlocks];
        std::fill_n(best, kBlocks, std::numeric_limits<float>::infinity());
        const std::size_t blocks = u.rows * u.cols > 65536 ? kBlocks : 1;
        parallel_blocks(u.rows, blocks, [&](std::size_t b, std::size_t begin, std::size_t end) {
            float nearest = std::numeric_limits<float>::infinity();
            for (std::size_t j = begin; j < end; ++j)
                nearest = std::min(nearest, squared_distance(x.row(i), u.row(j), u.cols));
            best[b] = nearest;
        });
        out[i] = *std::min_element(best, best + kBlocks);
    }
}

}  // namespace

float squared_distance(const float* a, const float* b, std::size_t n) {
    return sum_in_lanes(n, [a, b](std::size_t j) {
        const float d = a[j] - b[j];
        return d * d;
    });
}

float dot(const std::int8_t* a, const float* b, std::size_t n) {
    return sum_in_lanes(n, [a, b](std::size_t j) { return static_cast<float>(a[j]) * b[j]; });
}

float squared_norm(const float* a, std::size_t n) {
    return sum_in_lanes(n, [a](std::size_t j) { return a[j] * a[j]; });
}

void nearest_squared_distances(MatrixView x, MatrixView u, std::span<const float> u_norms,
                               std::span<float> out) {
    assert(x.cols == u.cols && u.rows > 0 && u_norms.size() == u.rows && out.size() == x.rows);
    if (x.rows < 8) return scan(x, u, out);
    const RowGroup all{0, 0, u.rows};
    nearest_squared_distances(x, u, u_norms, std::span(&all, 1), MutableMatrixView(out.data(), x.rows, 1));
}

void nearest_squared_distances(MatrixView x, MatrixView u, std::span<const float> u_norms,
                               std::span<const RowGroup> groups, MutableMatrixView out) {
    assert(x.cols == u.cols && u.rows > 0 && u_norms.size() == u.rows && out.rows == x.rows);
    constexpr std::size_t kRows = 256, kColumns = 2048;
    const float u_max = *std::max_element(u_norms.begin(), u_norms.end());
    Matrix products(std::min(kRows, x.rows), std::min(kColumns, u.rows));
    for (std::size_t first = 0; first < x.rows; first += kRows) {
        const std::size_t rows = std::min(kRows, x.rows - first);
        for (std::size_t i = 0; i < rows; ++i)
            std::fill_n(out.row(first + i), out.cols, std::numeric_limits<float>::infinity());
        for (std::size_t from = 0; from < u.rows; from += kColumns) {
            const std::size_t columns = std::min(kColumns, u.rows - from);
            const MutableMatrixView dot(products.data(), rows, columns);
            gemm(Op::none, x.slice(first, rows), Op::transpose, u.slice(from, columns), dot);
            parallel_range(rows, 16, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    const float* row = x.row(first + i);
                    // Rounding of a product of n terms stays far below this for any n used here.
                    const float slack = 2e-5f * (squared_norm(row, x.cols) + u_max);
                    float* d = dot.row(i);
                    const float* norms = u_norms.data() + from;
                    norms_less_twice(norms, d, columns);
                    for (const RowGroup& g : groups) {
                        const std::size_t b = std::max(g.begin, from), e = std::min(g.end, from + columns);
                        if (b >= e) continue;
                        float nearest = std::numeric_limits<float>::infinity();
                        for (std::size_t j = b - from; j < e - from; ++j)
                            nearest = d[j] < nearest ? d[j] : nearest;
                        float& best = out(first + i, g.group);
                        for (std::size_t j = b - from; j < e - from; ++j)
                            if (d[j] <= nearest + slack)
                                best = std::min(best, squared_distance(row, u.row(from + j), u.cols));
                    }
                }
            });
        }
    }
}

void nearest_squared_distances_reference(MatrixView x, MatrixView u, std::span<float> out) {
    for (std::size_t i = 0; i < x.rows; ++i) {
        out[i] = std::numeric_limits<float>::infinity();
        for (std::size_t j = 0; j < u.rows; ++j)
            out[i] = std::min(out[i], squared_distance(x.row(i), u.row(j), u.cols));
    }
}

}  // namespace fearnet::math
