#include "lab/open_world/far_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace fearnet::lab {
namespace {

void scale_to_length(Matrix& rows, double length) {
    scale_rows_to_unit_length(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] *= static_cast<float>(length);
}

}  // namespace

Matrix gaussian_noise(std::size_t rows, std::size_t width, double length, Rng rng) {
    Matrix noise(rows, width);
    for (std::size_t i = 0; i < noise.size(); ++i)
        noise.data()[i] = static_cast<float>(std::abs(rng.normal()));
    scale_to_length(noise, length);
    return noise;
}

Matrix uniform_noise(std::size_t rows, std::size_t width, double length, Rng rng) {
    Matrix noise(rows, width);
    for (std::size_t i = 0; i < noise.size(); ++i) noise.data()[i] = static_cast<float>(rng.uniform());
    scale_to_length(noise, length);
    return noise;
}

Matrix fitted_rows(MatrixView data, std::size_t most, std::size_t width, double length, Rng rng) {
    std::vector<std::size_t> order(data.rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    rng.shuffle(std::span(order));
    order.resize(std::min(most, order.size()));
    Matrix rows(order.size(), width);
    for (std::size_t i = 0; i < order.size(); ++i)
        std::copy_n(data.row(order[i]), std::min(width, data.cols), rows.row(i));
    scale_to_length(rows, length);
    return rows;
}

double mean_length(MatrixView rows) {
    double sum = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) {
        double squares = 0;
        for (std::size_t j = 0; j < rows.cols; ++j) {
            const double v = rows(i, j);
            squares += v * v;
        }
        sum += std::sqrt(squares);
    }
    return rows.rows == 0 ? 0 : sum / static_cast<double>(rows.rows);
}

}  // namespace fearnet::lab
