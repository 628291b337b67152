#include "lab/baselines/fel_network.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/math/gemm.hpp"
#include "core/math/vectorizable.hpp"

namespace fearnet::lab {
namespace {

using math::gemm;
using math::Op;

Matrix tanh_layer(const nn::Dense& layer, MatrixView x) {
    Matrix out(x.rows, layer.outputs());
    gemm(Op::none, x, Op::none, layer.weight, out);
    for (std::size_t i = 0; i < out.rows(); ++i) {
        float* row = out.row(i);
        for (std::size_t j = 0; j < out.cols(); ++j)
            row[j] = 1.0f - 2.0f / (1.0f + math::exp(2.0f * (row[j] + layer.bias(0, j))));
    }
    return out;
}

std::vector<std::vector<Firing>> fire_rows(const FixedLayer& fixed, const FiringRule& rule,
                                           const Matrix& hidden) {
    std::vector<std::vector<Firing>> result(hidden.rows());
    parallel_range(hidden.rows(), 1, [&](std::size_t begin, std::size_t end) {
        std::vector<float> inputs(fixed.units()), scratch;
        for (std::size_t i = begin; i < end; ++i) {
            fixed.forward(hidden.row(i), inputs.data());
            result[i].reserve(rule.highs + rule.lows);
            fire(inputs, rule, scratch, result[i]);
        }
    });
    return result;
}

void add_scores(const Matrix& output, const std::vector<Firing>& firings, float* scores) {
    for (const Firing& f : firings) {
        const float* weights = output.row(f.unit);
        for (std::size_t c = 0; c < output.cols(); ++c) scores[c] += f.value * weights[c];
    }
}

}  // namespace

std::vector<std::vector<Firing>> FelNetwork::firings(MatrixView x) const {
    return fire_rows(fixed, rule, tanh_layer(hidden, x));
}

Matrix FelNetwork::scores(MatrixView x) const {
    const std::vector<std::vector<Firing>> fired = firings(x);
    Matrix result(x.rows, classes());
    parallel_range(x.rows, 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) add_scores(output, fired[i], result.row(i));
    });
    return result;
}

void FelNetwork::grow(std::size_t classes) {
    if (classes <= output.cols()) return;
    Matrix wider(fixed.units(), classes);
    for (std::size_t u = 0; u < output.rows(); ++u) std::copy_n(output.row(u), output.cols(), wider.row(u));
    output = std::move(wider);
}

void standardize_hidden(nn::Dense& hidden, MatrixView x) {
    constexpr std::size_t kRows = 4096;  // enough to know a mean and a deviation
    const std::size_t step = (x.rows + kRows - 1) / kRows;
    const MatrixView some(x.data, (x.rows + step - 1) / step, x.cols, x.stride * step);
    Matrix inputs(some.rows, hidden.outputs());
    gemm(Op::none, Matrix(some), Op::none, hidden.weight, inputs);
    const double n = static_cast<double>(some.rows);
    for (std::size_t j = 0; j < hidden.outputs(); ++j) {
        double sum = 0, squares = 0;
        for (std::size_t i = 0; i < some.rows; ++i) sum += static_cast<double>(inputs(i, j));
        const double mean = sum / n;
        for (std::size_t i = 0; i < some.rows; ++i) {
            const double d = static_cast<double>(inputs(i, j)) - mean;
            squares += d * d;
        }
        const double deviation = std::sqrt(squares / n);
        const double scale = deviation > 1e-6 ? 1 / deviation : 1;  // equal rows have none
        for (std::size_t i = 0; i < hidden.inputs(); ++i) hidden.weight(i, j) *= static_cast<float>(scale);
        hidden.bias(0, j) = static_cast<float>(-mean * scale);
    }
}

double FelTrainer::step(MatrixView x, std::span<const std::int32_t> columns, double rate,
                        double hidden_rate) {
    activation_ = tanh_layer(network_.hidden, x);
    firings_ = fire_rows(network_.fixed, network_.rule, activation_);
    scores_ = Matrix(x.rows, network_.classes());
    for (std::size_t i = 0; i < x.rows; ++i) add_scores(network_.output, firings_[i], scores_.row(i));
    const double loss = score_gradients(columns);
    if (hidden_rate != 0) hidden_gradients();
    for (std::size_t i = 0; i < x.rows; ++i)
        for (const Firing& f : firings_[i]) {
            const float change = static_cast<float>(rate) * f.value;
            float* weights = network_.output.row(f.unit);
            const float* g = scores_.row(i);
            for (std::size_t c = 0; c < scores_.cols(); ++c) weights[c] -= change * g[c];
        }
    if (hidden_rate != 0) update_hidden(x, hidden_rate);
    return loss;
}

// In: scores_. Out: the gradient of the mean cross-entropy there. Returns the loss.
double FelTrainer::score_gradients(std::span<const std::int32_t> columns) {
    const float share = 1.0f / static_cast<float>(scores_.rows());
    double loss = 0;
    for (std::size_t i = 0; i < scores_.rows(); ++i) {
        float* g = scores_.row(i);
        const float max = *std::max_element(g, g + scores_.cols());
        float own = g[columns[i]] - max, sum = 0;
        for (std::size_t c = 0; c < scores_.cols(); ++c) sum += g[c] = math::exp(g[c] - max);
        loss += std::log(static_cast<double>(sum)) - static_cast<double>(own);
        for (std::size_t c = 0; c < scores_.cols(); ++c) g[c] *= share / sum;
        g[columns[i]] -= share;
    }
    return loss / static_cast<double>(scores_.rows());
}

// From the gradient of the scores, through the units that fire, to the input of the hidden layer.
void FelTrainer::hidden_gradients() {
    gradient_ = Matrix(activation_.rows(), activation_.cols());
    for (std::size_t i = 0; i < gradient_.rows(); ++i) {
        float* g = gradient_.row(i);
        for (const Firing& f : firings_[i]) {
            const float* weights = network_.output.row(f.unit);
            float d = 0;
            for (std::size_t c = 0; c < scores_.cols(); ++c) d += weights[c] * scores_(i, c);
            network_.fixed.backward(f.unit, d, g);
        }
        for (std::size_t j = 0; j < gradient_.cols(); ++j) g[j] *= 1 - activation_(i, j) * activation_(i, j);
    }
}

void FelTrainer::update_hidden(MatrixView x, double rate) {
    nn::Dense& hidden = network_.hidden;
    weight_gradient_.resize(hidden.inputs(), hidden.outputs());
    gemm(Op::transpose, x, Op::none, gradient_, weight_gradient_);
    const float step = static_cast<float>(rate);
    parallel_range(hidden.weight.size(), 65536, [&](std::size_t begin, std::size_t end) {
        float* w = hidden.weight.data();
        const float* g = weight_gradient_.data();
        for (std::size_t i = begin; i < end; ++i) w[i] -= step * g[i];
    });
    for (std::size_t i = 0; i < gradient_.rows(); ++i)
        for (std::size_t j = 0; j < gradient_.cols(); ++j) hidden.bias(0, j) -= step * gradient_(i, j);
}

}  // namespace fearnet::lab
