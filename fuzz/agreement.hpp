// Reading a file at once and in blocks gives the same, whatever the bytes.
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "fearnet/data/row_blocks.hpp"

namespace fearnet::fuzz {

inline std::optional<NamedRows> read_at_once(const std::string& file, const TableOptions& options) {
    try {
        return named_rows(read_table(file, options));
    } catch (const Error&) {
        return {};
    }
}

inline std::optional<NamedRows> read_in_blocks(const std::string& file, const TableOptions& options,
                                               std::size_t most) {
    try {
        RowBlocks blocks(file, options);
        NamedRows all;
        for (Matrix block = blocks.next(most); block.rows() > 0; block = blocks.next(most)) {
            const std::size_t before = all.x.rows();
            if (before == 0) all.x = Matrix(0, block.cols());
            all.x.resize_rows(before + block.rows());
            std::copy_n(block.data(), block.size(), all.x.row(before));
        }
        all.labels = blocks.labels();
        return all;
    } catch (const Error&) {
        return {};
    }
}

// Throws std::logic_error, which is a finding, unless both refuse the file or give the same rows and labels.
inline void check_agreement(const std::string& file, const TableOptions& options = {}) {
    const std::optional<NamedRows> whole = read_at_once(file, options);
    for (const std::size_t most : {1u, 3u}) {
        const std::optional<NamedRows> blocks = read_in_blocks(file, options, most);
        if (whole.has_value() != blocks.has_value())
            throw std::logic_error("one of read_table and RowBlocks refuses the file");
        if (!whole) continue;
        const bool same = whole->x.rows() == blocks->x.rows() && whole->x.cols() == blocks->x.cols() &&
                          std::equal(whole->x.data(), whole->x.data() + whole->x.size(), blocks->x.data()) &&
                          whole->labels == blocks->labels;
        if (!same) throw std::logic_error("read_table and RowBlocks give different rows or labels");
    }
}

}  // namespace fearnet::fuzz
