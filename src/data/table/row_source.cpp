#include "data/table/row_source.hpp"

#include <algorithm>

#include "core/base/bytes.hpp"
#include "data/table/labels.hpp"

namespace fearnet {

void RowSource::settle_labels(RawLabels& labels) const {
    as_numbers_if_whole(labels);
}

Table WholeTable::next(std::size_t most) {
    const std::size_t first = done_, n = std::min(most, rows_ - done_);
    done_ += n;
    if (n == 0) return {};
    if (n == rows_) return std::move(table_);
    Table block;
    block.x = Matrix(table_.x.view().slice(first, n));
    if (table_.has_labels()) block.labels = slice(table_.labels, first, n);
    const auto start = table_.is_test.begin() + static_cast<std::ptrdiff_t>(first);
    if (!table_.is_test.empty()) block.is_test.assign(start, start + static_cast<std::ptrdiff_t>(n));
    block.class_names = table_.class_names;
    block.label_source = table_.label_source;
    return block;
}

std::uint64_t memory_limit(const TableOptions& options) {
    return options.max_bytes != 0 ? options.max_bytes : machine_memory() / 2;
}

void check_file_size(const std::filesystem::path& path, std::uint64_t limit) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) return;
    if (const std::uint64_t size = std::filesystem::file_size(path); size > limit)
        throw Error(path.string() + ": a file of " + bytes_text(size) + ", more than the limit of " +
                    bytes_text(limit) + "; raise it with --max-bytes, or split the file");
}

void check_is_table(const io::NpyHeader& x, std::size_t width, const std::string& what) {
    if (x.shape.empty()) throw Error(what + ": expected rows of numbers, found a single value");
    const std::string count = std::to_string(x.shape[0]);
    if (x.shape.size() == 1)
        throw Error(what + ": has one dimension of " + count +
                    ", but rows of features are needed; save x.reshape(1, -1) for one row of " + count +
                    " features, or x.reshape(-1, 1) for " + count + " rows of one feature");
    double features = 1;
    for (std::size_t d = 1; d < x.shape.size(); ++d) features *= static_cast<double>(x.shape[d]);
    if (width != 0 && features != static_cast<double>(width))
        throw Error(what + ": rows have " +
                    std::to_string(static_cast<std::uint64_t>(std::min(features, 1e18))) + " features but " +
                    std::to_string(width) + " are expected");
}

void append_rows(Matrix& x, Matrix more) {
    if (x.rows() == 0) {
        x = std::move(more);
        return;
    }
    const std::size_t before = x.rows();
    x.resize_rows(before + more.rows());
    std::copy_n(more.data(), more.size(), x.row(before));
}

void keep_split(Matrix& x, const std::vector<bool>& is_test, Split split) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < is_test.size(); ++i) {
        if (is_test[i] != (split == Split::test)) continue;
        if (kept != i) std::copy_n(x.row(i), x.cols(), x.row(kept));
        ++kept;
    }
    x.resize_rows(kept);
}

}  // namespace fearnet
