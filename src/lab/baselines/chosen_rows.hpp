// A copy of selected rows of a session, with their classes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "fearnet/matrix.hpp"

namespace fearnet::lab {

struct ChosenRows {
    // The rows with these numbers; if there are more than `most`, an evenly spaced subset.
    ChosenRows(MatrixView rows, std::span<const std::int32_t> row_columns,
               std::span<const std::size_t> numbers, std::size_t most = SIZE_MAX) {
        const std::size_t every = numbers.size() <= most ? 1 : (numbers.size() + most - 1) / most;
        x = Matrix((numbers.size() + every - 1) / every, rows.cols);
        for (std::size_t i = 0; i < x.rows(); ++i) {
            std::copy_n(rows.row(numbers[i * every]), rows.cols, x.row(i));
            columns.push_back(row_columns[numbers[i * every]]);
        }
    }
    Matrix x;
    std::vector<std::int32_t> columns;
};

}  // namespace fearnet::lab
