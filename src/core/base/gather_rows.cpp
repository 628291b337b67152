#include "core/base/gather_rows.hpp"

#include <algorithm>

#include "core/base/parallel.hpp"

namespace fearnet {

void gather_rows(MatrixView from, std::span<const std::size_t> rows, MutableMatrixView out) {
    parallel_range(rows.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) std::copy_n(from.row(rows[i]), from.cols, out.row(i));
    });
}

void gather_rows(MatrixView from, std::span<const std::size_t> rows, Matrix& out) {
    out.resize(rows.size(), from.cols);
    gather_rows(from, rows, out.view());
}

}  // namespace fearnet
