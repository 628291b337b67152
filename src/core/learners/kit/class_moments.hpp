// What the closed-form learners keep of the rows they saw: how many of each class, the class means, and one
// scatter matrix around them. Rows can come in any order and any portions: the result is the same up to
// rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fearnet/state.hpp"

namespace fearnet {

struct ClassMoments {
    std::vector<std::int64_t> counts;  // rows of each class
    std::int64_t gone = 0;             // rows of classes that were dropped, which the scatter still has
    Matrix means;                      // classes x d
    Matrix scatter;  // d x d: sum of (x - mean)(x - mean)^T, its lower triangle only; or empty

    std::size_t classes() const { return counts.size(); }
    std::size_t width() const { return means.cols(); }
    std::int64_t rows() const;  // that the scatter has
    std::size_t bytes() const;

    // `columns` are the classes of the rows, each below `classes`, which is at least classes().
    void add(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes, bool with_scatter);
    // Takes rows out again that were added, with the scatter, up to rounding. Each class keeps at least one
    // row.
    void remove(MatrixView x, std::span<const std::int32_t> columns);
    // Without this class; what its rows added to the scatter stays.
    void drop(std::size_t column);

    void save(State& state) const;
    // Throws Error unless everything has the shape for so many classes and features.
    static ClassMoments load(const State& state, std::size_t classes, std::size_t width, bool with_scatter);
};

// The same without this row.
Matrix without_row(const Matrix& m, std::size_t row);

// Rows by class: result[c] are the numbers of the rows of class c.
std::vector<std::vector<std::size_t>> rows_by_class(std::span<const std::int32_t> columns,
                                                    std::size_t classes);

}  // namespace fearnet
