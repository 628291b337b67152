#include "core/nn/dense.hpp"

#include <cassert>
#include <cmath>

namespace fearnet::nn {

Dense make_dense(std::size_t inputs, std::size_t outputs, float bias, Rng& rng) {
    Dense layer{Matrix(inputs, 0), Matrix(1, 0)};
    grow_outputs(layer, outputs, bias, rng);
    return layer;
}

void grow_outputs(Dense& layer, std::size_t outputs, float bias, Rng& rng) {
    const std::size_t inputs = layer.weight.rows(), old = layer.weight.cols();
    assert(outputs >= old);
    Matrix weight(inputs, outputs), biases(1, outputs);
    const double limit = std::sqrt(6.0 / static_cast<double>(inputs + outputs));
    for (std::size_t i = 0; i < inputs; ++i) {
        for (std::size_t j = 0; j < old; ++j) weight(i, j) = layer.weight(i, j);
        for (std::size_t j = old; j < outputs; ++j)
            weight(i, j) = static_cast<float>(limit * (2 * rng.uniform() - 1));
    }
    for (std::size_t j = 0; j < outputs; ++j) biases(0, j) = j < old ? layer.bias(0, j) : bias;
    layer.weight = std::move(weight);
    layer.bias = std::move(biases);
}

void drop_output(Dense& layer, std::size_t output) {
    const std::size_t old = layer.outputs();
    assert(output < old);
    const auto without = [&](const Matrix& from) {
        Matrix to(from.rows(), old - 1);
        for (std::size_t i = 0; i < from.rows(); ++i)
            for (std::size_t j = 0; j + 1 < old; ++j) to(i, j) = from(i, j + (j >= output));
        return to;
    };
    layer.weight = without(layer.weight);
    layer.bias = without(layer.bias);
}

}  // namespace fearnet::nn
