#include "lab/baselines/fourier_lda.hpp"

#include <cmath>
#include <numbers>

#include "core/base/parallel.hpp"
#include "core/math/gemm.hpp"

namespace fearnet::lab {
namespace {

// The root of the mean squared distance between two rows; 1 when they are all the same.
double usual_distance(MatrixView x) {
    std::vector<double> sum(x.cols), squares(x.cols);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.cols; ++j) {
            const double v = static_cast<double>(x.row(i)[j]);
            sum[j] += v, squares[j] += v * v;
        }
    const double n = static_cast<double>(x.rows);
    double variance = 0;
    for (std::size_t j = 0; j < x.cols; ++j)
        variance += std::max(0.0, squares[j] / n - sum[j] / n * (sum[j] / n));
    return variance > 0 ? std::sqrt(2 * variance) : 1;
}

}  // namespace

void FourierLda::prepare(std::size_t width) {
    if (projection_.rows() == width) return;
    Matrix projection(width, mapped_width()), phase(1, mapped_width());
    Rng rng = fixed_rng();
    rng.fill_normal({projection.data(), projection.size()});
    for (std::size_t j = 0; j < phase.cols(); ++j)
        phase(0, j) = static_cast<float>(2 * std::numbers::pi * rng.uniform());
    projection_ = std::move(projection);
    phase_ = std::move(phase);
}

void FourierLda::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                       const Progress& progress) {
    if (first_session()) width_ = settings().bandwidth * usual_distance(x);
    ReadoutLearner::teach(x, columns, classes, progress);
}

Matrix FourierLda::map(MatrixView x) const {
    Matrix mapped(x.rows, projection_.cols());
    math::gemm(math::Op::none, x, math::Op::none, projection_, mapped);
    const float scale = static_cast<float>(1 / width_);
    const float length = static_cast<float>(std::sqrt(2.0 / static_cast<double>(mapped.cols())));
    parallel_range(mapped.rows(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < mapped.cols(); ++j)
                mapped(i, j) = length * std::cos(scale * mapped(i, j) + phase_(0, j));
    });
    return mapped;
}

MemoryUse FourierLda::memory() const {
    MemoryUse use = ReadoutLearner::memory();
    use["projection"] = class_count() == 0 ? 0 : projection_.bytes() + phase_.bytes();
    return use;
}

void FourierLda::save_model(State& state) const {
    ReadoutLearner::save_model(state);
    state.set("kernel", width_);
}

void FourierLda::load_model(const State& state) {
    const double width = positive_number(state, "kernel");
    ReadoutLearner::load_model(state);
    width_ = width;
}

}  // namespace fearnet::lab
