#include "core/nn/kernels.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/math/vectorizable.hpp"
#include "core/math/vectorized.hpp"

namespace fearnet::nn {
namespace {

// Threads pay off from about this many numbers on.
constexpr std::size_t kGrain = 8192;

std::size_t rows_per_part(std::size_t cols) {
    return std::max<std::size_t>(1, kGrain / std::max<std::size_t>(cols, 1));
}

// Runs body(part, begin, end) over kParts fixed parts of the rows, then adds up the parts' column sums.
template <class Body>
void with_column_sums(std::size_t rows, MutableMatrixView parts, MutableMatrixView sums, const Body& body) {
    const std::size_t cols = sums.cols;
    const std::size_t blocks = rows <= rows_per_part(cols) ? 1 : kParts;
    assert(parts.rows >= kParts && parts.cols >= cols);
    parallel_blocks(rows, blocks, math::vectorized([&](std::size_t part, std::size_t begin, std::size_t end) {
                        float* sum = parts.row(part);
                        std::fill_n(sum, cols, 0.0f);
                        body(part, sum, begin, end);
                    }));
    float* out = sums.row(0);
    std::copy_n(parts.row(0), cols, out);
    for (std::size_t part = 1; part < blocks; ++part) {
        const float* sum = parts.row(part);
        for (std::size_t j = 0; j < cols; ++j) out[j] += sum[j];
    }
}

double total(const std::array<double, kParts>& parts) {
    double sum = 0;
    for (double p : parts) sum += p;
    return sum;
}

// exp(z - max) into z; returns {sum of them, max}.
struct ExpSum {
    float sum, max;
};
ExpSum exp_in_place(float* z, std::size_t n) {
    float max = z[0];
    for (std::size_t j = 1; j < n; ++j) max = z[j] > max ? z[j] : max;
    float sum = 0;
    for (std::size_t j = 0; j < n; ++j) z[j] = math::exp(z[j] - max);
    for (std::size_t j = 0; j < n; ++j) sum += z[j];
    return {sum, max};
}

// to[j] = from[j] * scale where the mask of row i keeps unit j, otherwise 0.
void drop(const Dropout& dropout, std::size_t i, const float* from, float* to, std::size_t cols) {
    const auto [threshold, key, scale] = dropout;
    const std::uint32_t first = static_cast<std::uint32_t>(i * cols);
    for (std::size_t j = 0; j < cols; ++j) {
        const float kept = from[j] * scale;
        to[j] = math::scatter(key, first + static_cast<std::uint32_t>(j)) >= threshold ? kept : 0.0f;
    }
}

}  // namespace

Dropout Dropout::with(double rate, std::uint64_t key) {
    if (rate <= 0) return {};
    return {static_cast<std::uint32_t>(rate * 4294967296.0), static_cast<std::uint32_t>(key ^ (key >> 32)),
            static_cast<float>(1 / (1 - rate))};
}

void bias_elu_dropout(MutableMatrixView z, MatrixView bias, const Dropout& dropout,
                      MutableMatrixView activation, MutableMatrixView output) {
    const std::size_t cols = z.cols;
    const float* b = bias.data;
    parallel_range(z.rows, rows_per_part(cols), math::vectorized([&](std::size_t begin, std::size_t end) {
                       for (std::size_t i = begin; i < end; ++i) {
                           float* in = z.row(i);
                           float* act = activation.row(i);
                           for (std::size_t j = 0; j < cols; ++j) {
                               const float v = in[j] + b[j];
                               const float negative = math::exp(v < 0 ? v : 0.0f) - 1.0f;
                               act[j] = v > 0 ? v : negative;
                           }
                           float* out = output.row(i);
                           if (dropout.threshold == 0) {
                               if (out != act) std::copy_n(act, cols, out);
                               continue;
                           }
                           drop(dropout, i, act, out, cols);
                       }
                   }));
}

void elu_dropout_backward(MutableMatrixView gradient, MatrixView activation, MatrixView extra,
                          const Dropout& dropout, MutableMatrixView bias_gradient, MutableMatrixView parts) {
    const std::size_t cols = gradient.cols;
    with_column_sums(gradient.rows, parts, bias_gradient,
                     [&](std::size_t, float* sum, std::size_t begin, std::size_t end) {
                         for (std::size_t i = begin; i < end; ++i) {
                             float* g = gradient.row(i);
                             const float* a = activation.row(i);
                             if (dropout.threshold != 0) drop(dropout, i, g, g, cols);
                             if (extra.rows) {
                                 const float* e = extra.row(i);
                                 for (std::size_t j = 0; j < cols; ++j) g[j] += e[j];
                             }
                             for (std::size_t j = 0; j < cols; ++j) {
                                 const float slope = a[j] > 0 ? 1.0f : a[j] + 1.0f;
                                 g[j] *= slope;
                                 sum[j] += g[j];
                             }
                         }
                     });
}

double linear_squared_error(MutableMatrixView z, MatrixView bias, MatrixView target, double weight,
                            MutableMatrixView bias_gradient, MutableMatrixView parts) {
    const std::size_t cols = z.cols;
    const double per_unit = weight / static_cast<double>(z.rows * cols);
    const float slope = static_cast<float>(2 * per_unit);
    const float* b = bias.data;
    std::array<double, kParts> losses{};
    with_column_sums(z.rows, parts, bias_gradient,
                     [&](std::size_t part, float* sum, std::size_t begin, std::size_t end) {
                         for (std::size_t i = begin; i < end; ++i) {
                             float* g = z.row(i);
                             const float* t = target.row(i);
                             constexpr std::size_t kLanes =
                                 16;  // independent sums, so that the loop vectorizes without reassociation
                             float squares[kLanes] = {};
                             std::size_t j = 0;
                             for (; j + kLanes <= cols; j += kLanes)
                                 for (std::size_t lane = 0; lane < kLanes; ++lane) {
                                     const float d = g[j + lane] + b[j + lane] - t[j + lane];
                                     squares[lane] += d * d;
                                     g[j + lane] = d * slope;
                                     sum[j + lane] += d * slope;
                                 }
                             float row_loss = 0;
                             for (float s : squares) row_loss += s;
                             for (; j < cols; ++j) {
                                 const float d = g[j] + b[j] - t[j];
                                 row_loss += d * d;
                                 g[j] = d * slope;
                                 sum[j] += d * slope;
                             }
                             losses[part] += static_cast<double>(row_loss);
                         }
                     });
    return per_unit * total(losses);
}

double squared_difference(MatrixView a, MatrixView b, double weight, MutableMatrixView a_gradient,
                          MutableMatrixView b_gradient) {
    const double per_unit = weight / static_cast<double>(a.rows * a.cols);
    const float slope = static_cast<float>(2 * per_unit);
    std::array<double, kParts> losses{};
    parallel_blocks(a.rows, kParts,
                    math::vectorized([&](std::size_t part, std::size_t begin, std::size_t end) {
                        for (std::size_t i = begin; i < end; ++i) {
                            const float* x = a.row(i);
                            const float* y = b.row(i);
                            float* gx = a_gradient.row(i);
                            float* gy = b_gradient.row(i);
                            for (std::size_t j = 0; j < a.cols; ++j) {
                                const float d = x[j] - y[j];
                                gx[j] = d * slope;
                                gy[j] = -d * slope;
                            }
                            float row_loss = 0;
                            for (std::size_t j = 0; j < a.cols; ++j) row_loss += gx[j] * gx[j];
                            losses[part] += static_cast<double>(row_loss);
                        }
                    }));
    return weight == 0 ? 0
                       : per_unit * total(losses) / (static_cast<double>(slope) * static_cast<double>(slope));
}

double softmax_cross_entropy(MutableMatrixView z, MatrixView bias, std::span<const std::int32_t> labels,
                             MatrixView soft, MutableMatrixView bias_gradient, MutableMatrixView parts) {
    const std::size_t cols = z.cols;
    const float share = 1.0f / static_cast<float>(z.rows);
    std::array<double, kParts> losses{};
    with_column_sums(
        z.rows, parts, bias_gradient, [&](std::size_t part, float* sum, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                float* g = z.row(i);
                for (std::size_t j = 0; j < cols; ++j) g[j] += bias.data[j];
                const bool hard = labels[i] >= 0;
                double target_score = 0, target_mass = 1;
                if (hard) {
                    target_score = g[labels[i]];
                } else {
                    target_mass = 0;
                    for (std::size_t j = 0; j < cols; ++j) {
                        target_score += static_cast<double>(soft(i, j)) * static_cast<double>(g[j]);
                        target_mass += static_cast<double>(soft(i, j));
                    }
                }
                const auto [mass, max] = exp_in_place(g, cols);
                losses[part] +=
                    target_mass * (std::log(static_cast<double>(mass)) + static_cast<double>(max)) -
                    target_score;
                const float scale = share * static_cast<float>(target_mass) / mass;
                for (std::size_t j = 0; j < cols; ++j) g[j] *= scale;
                if (hard) {
                    g[labels[i]] -= share;
                } else {
                    const float* t = soft.row(i);
                    for (std::size_t j = 0; j < cols; ++j) g[j] -= share * t[j];
                }
                for (std::size_t j = 0; j < cols; ++j) sum[j] += g[j];
            }
        });
    return total(losses) / static_cast<double>(z.rows);
}

double logistic(double x) {
    return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

double logistic_cross_entropy(MutableMatrixView z, MatrixView bias, std::span<const std::int32_t> labels,
                              MutableMatrixView bias_gradient, MutableMatrixView parts) {
    (void)parts;
    assert(z.cols == 1);
    double loss = 0, sum = 0;
    const double share = 1.0 / static_cast<double>(z.rows);
    for (std::size_t i = 0; i < z.rows; ++i) {
        const double score = static_cast<double>(z(i, 0)) + static_cast<double>(bias(0, 0));
        const double sign = labels[i] == 1 ? 1 : -1;
        // log(1 + e^-t) without overflow.
        const double t = sign * score;
        loss += (t > 0 ? 0 : -t) + std::log1p(std::exp(-std::abs(t)));
        const double gradient = -sign * logistic(-t) * share;
        z(i, 0) = static_cast<float>(gradient);
        sum += gradient;
    }
    bias_gradient(0, 0) = static_cast<float>(sum);
    return loss * share;
}

double sigmoid_cross_entropy(MutableMatrixView z, MatrixView bias, std::span<const std::int32_t> labels,
                             MatrixView soft, MutableMatrixView bias_gradient, MutableMatrixView parts) {
    const std::size_t cols = z.cols;
    assert(soft.cols <= cols && (soft.cols == 0 || soft.rows >= z.rows));
    const float share = 1.0f / static_cast<float>(z.rows * cols);
    std::array<double, kParts> losses{};
    with_column_sums(
        z.rows, parts, bias_gradient, [&](std::size_t part, float* sum, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                float* g = z.row(i);
                float row_loss = 0;
                for (std::size_t j = 0; j < cols; ++j) {
                    const float score = g[j] + bias.data[j];
                    const bool own = labels[i] >= 0 && static_cast<std::size_t>(labels[i]) == j;
                    const float target = j < soft.cols ? soft(i, j) : static_cast<float>(own);
                    const float small = math::exp(-std::abs(score));  // in (0, 1]: no overflow on either side
                    row_loss += (score > 0 ? score : 0.0f) - target * score + std::log1p(small);
                    const float value = (score > 0 ? 1.0f : small) / (1.0f + small);
                    g[j] = share * (value - target);
                    sum[j] += g[j];
                }
                losses[part] += static_cast<double>(row_loss);
            }
        });
    return total(losses) / static_cast<double>(z.rows * cols);
}

void bias_sigmoid(MutableMatrixView z, MatrixView bias) {
    parallel_range(z.rows, rows_per_part(z.cols), math::vectorized([&](std::size_t begin, std::size_t end) {
                       for (std::size_t i = begin; i < end; ++i) {
                           float* row = z.row(i);
                           for (std::size_t j = 0; j < z.cols; ++j)
                               row[j] = 1.0f / (1.0f + math::exp(-row[j] - bias.data[j]));
                       }
                   }));
}

void add_bias(MutableMatrixView z, MatrixView bias) {
    math::vectorized([=] {
        for (std::size_t i = 0; i < z.rows; ++i) {
            float* row = z.row(i);
            for (std::size_t j = 0; j < z.cols; ++j) row[j] += bias.data[j];
        }
    })();
}

void bias_softmax(MutableMatrixView z, MatrixView bias) {
    parallel_range(z.rows, rows_per_part(z.cols), math::vectorized([&](std::size_t begin, std::size_t end) {
                       for (std::size_t i = begin; i < end; ++i) {
                           float* row = z.row(i);
                           for (std::size_t j = 0; j < z.cols; ++j) row[j] += bias.data[j];
                           const float scale = 1.0f / exp_in_place(row, z.cols).sum;
                           for (std::size_t j = 0; j < z.cols; ++j) row[j] *= scale;
                       }
                   }));
}

}  // namespace fearnet::nn
