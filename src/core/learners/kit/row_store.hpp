// Rows kept with the column of their class, oldest first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

class RowStore {
  public:
    // Appends; all rows have the same width. When memory runs out, nothing has changed.
    void add(MatrixView x, std::span<const std::int32_t> columns) {
        const std::size_t before = size();
        columns_.reserve(before + columns.size());
        if (x_.cols() != x.cols) x_ = Matrix(0, x.cols);
        x_.append(x);
        columns_.insert(columns_.end(), columns.begin(), columns.end());
    }
    void drop_oldest(std::size_t rows) {
        if (rows == 0) return;
        std::copy(x_.data() + rows * x_.cols(), x_.data() + x_.size(), x_.data());
        x_.resize_rows(size() - rows);
        columns_.erase(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(rows));
    }
    void clear() { *this = RowStore(); }

    std::size_t size() const { return columns_.size(); }
    MatrixView x() const { return x_; }
    std::span<const std::int32_t> columns() const { return columns_; }
    std::size_t bytes() const { return bytes(size(), x_.cols()); }
    static std::size_t bytes(std::size_t rows, std::size_t width) {
        return rows * (width * sizeof(float) + sizeof(std::int32_t));
    }

    void save(State& state, const std::string& prefix) const {
        state.set(prefix + ".x", x_, ArrayKind::examples);
        state.set(prefix + ".columns", std::vector<std::int64_t>(columns_.begin(), columns_.end()),
                  ArrayKind::examples);
    }
    // Throws Error when a column is not one of `classes` or the shapes disagree.
    static RowStore load(const State& state, const std::string& prefix, std::size_t classes,
                         std::size_t width) {
        RowStore store;
        for (const std::int64_t column : state.integer(prefix + ".columns")) {
            if (column < 0 || column >= static_cast<std::int64_t>(classes))
                throw Error("State: '" + prefix + ".columns' names column " + std::to_string(column) +
                            " of " + std::to_string(classes));
            store.columns_.push_back(static_cast<std::int32_t>(column));
        }
        if (store.columns_.empty()) return static_cast<void>(state.matrix(prefix + ".x")), store;
        store.x_ = state.matrix(prefix + ".x", store.size(), width);
        return store;
    }

  private:
    Matrix x_;
    std::vector<std::int32_t> columns_;
};

}  // namespace fearnet
