#include "fearnet/matrix.hpp"

#include <cmath>

#include "fearnet/error.hpp"

namespace fearnet {

void check_finite_rows(MatrixView x, const std::string& where, std::size_t first) {
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.cols; ++j)
            if (!std::isfinite(x(i, j)))
                throw Error(
                    where + ": row " + std::to_string(first + i) + ", column " + std::to_string(j) + " is " +
                    (std::isnan(x(i, j)) ? "NaN (not a number)" : "infinite (or too large for float32)") +
                    "; both are counted from 0");
}

void scale_rows_to_unit_length(Matrix& x) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
        float* row = x.row(i);
        double sum = 0;
        for (std::size_t j = 0; j < x.cols(); ++j) sum += static_cast<double>(row[j]) * row[j];
        if (sum == 0) continue;
        const double scale = 1 / std::sqrt(sum);
        for (std::size_t j = 0; j < x.cols(); ++j) row[j] = static_cast<float>(row[j] * scale);
    }
}

}  // namespace fearnet
