// Made-up rows that consist of frames.
#pragma once

#include "fearnet/matrix.hpp"
#include "fearnet/rng.hpp"

namespace fearnet::test {

// Rows of `frames` frames of `width` features. A feature is the sum of a part that all frames of the row
// share, with the weight `shared`, and a part of its own, with the weight 1 - shared; both are normal.
inline Matrix rows_of_frames(std::size_t rows, std::size_t frames, std::size_t width, double shared,
                             std::uint64_t seed = 1) {
    Rng rng(seed);
    Matrix x(rows, frames * width);
    std::vector<double> of_row(width);
    for (std::size_t i = 0; i < rows; ++i) {
        for (double& v : of_row) v = rng.normal();
        for (std::size_t j = 0; j < x.cols(); ++j)
            x(i, j) = static_cast<float>(shared * of_row[j % width] + (1 - shared) * rng.normal() + 3);
    }
    return x;
}

}  // namespace fearnet::test
