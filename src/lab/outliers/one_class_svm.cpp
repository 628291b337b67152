#include "lab/outliers/one_class_svm.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/math/distances.hpp"
#include "core/math/gemm.hpp"
#include "lab/outliers/support_vectors.hpp"

namespace fearnet::lab {
namespace {

double gamma_for(MatrixView rows) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < rows.rows; ++i)
        for (const float v : rows.row_span(i)) sum += static_cast<double>(v);
    const double count = static_cast<double>(rows.rows * rows.cols), mean = sum / count;
    for (std::size_t i = 0; i < rows.rows; ++i)
        for (const float v : rows.row_span(i))
            squares += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean);
    // Entries that are all the same have no scale; any kernel does.
    const double variance = squares / count;
    return variance > 1e-20 ? 1 / (static_cast<double>(rows.cols) * variance) : 1;
}

}  // namespace

OneClassSvm OneClassSvm::fit(MatrixView rows, const OneClassSvmOptions& options, const Progress& progress) {
    OneClassSvm result;
    // As a float from here on: a loaded machine is then the same machine.
    result.gamma_ = static_cast<float>(options.gamma > 0 ? options.gamma : gamma_for(rows));
    const SupportVectors found =
        find_support_vectors(rows, options.nu, static_cast<double>(result.gamma_), progress);
    result.support_ = Matrix(found.rows.size(), rows.cols);
    result.weights_ = Matrix(1, found.rows.size());
    result.rho_ = static_cast<float>(found.rho);
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
        std::copy_n(rows.row(found.rows[i]), rows.cols, result.support_.row(i));
        result.weights_(0, i) = static_cast<float>(found.weights[i]);
    }
    result.measure();
    return result;
}

void OneClassSvm::measure() {
    norms_.clear();
    for (std::size_t i = 0; i < support_.rows(); ++i)
        norms_.push_back(math::squared_norm(support_.row(i), support_.cols()));
}

std::vector<double> OneClassSvm::decision(MatrixView rows) const {
    // In parts, which bounds the memory of the products.
    constexpr std::size_t kRowsAtOnce = 256;
    std::vector<double> result(rows.rows);
    Matrix products;
    for (std::size_t first = 0; first < rows.rows; first += kRowsAtOnce) {
        const MatrixView part = rows.slice(first, std::min(kRowsAtOnce, rows.rows - first));
        products.resize(part.rows, support_.rows());
        math::gemm(math::Op::none, part, math::Op::transpose, support_, products);
        parallel_range(part.rows, 8, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const float norm = math::squared_norm(part.row(i), part.cols);
                const float* product = products.row(i);
                double sum = 0;
                for (std::size_t s = 0; s < support_.rows(); ++s) {
                    const float distance = std::max(0.0f, norm + norms_[s] - 2 * product[s]);
                    sum += static_cast<double>(weights_(0, s) * std::exp(-gamma_ * distance));
                }
                result[first + i] = sum - static_cast<double>(rho_);
            }
        });
    }
    return result;
}

std::size_t OneClassSvm::bytes() const {
    return support_.bytes() + weights_.bytes() + norms_.size() * sizeof(float) + sizeof(gamma_) +
           sizeof(rho_);
}

void OneClassSvm::save(State& state, const std::string& prefix) const {
    state.set(prefix + ".support", support_, ArrayKind::networks);
    state.set(prefix + ".weights", weights_, ArrayKind::networks);
    state.set(prefix + ".numbers",
              std::vector<double>{static_cast<double>(gamma_), static_cast<double>(rho_)});
}

OneClassSvm OneClassSvm::load(const State& state, const std::string& prefix) {
    OneClassSvm result;
    result.support_ = state.matrix(prefix + ".support");
    result.weights_ = state.matrix(prefix + ".weights", 1, result.support_.rows());
    const std::vector<double>& numbers = state.list<double>(prefix + ".numbers", 2);
    result.gamma_ = static_cast<float>(numbers[0]);
    result.rho_ = static_cast<float>(numbers[1]);
    result.measure();
    return result;
}

}  // namespace fearnet::lab
