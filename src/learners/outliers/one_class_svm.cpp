#include "learners/outliers/one_class_svm.hpp"

#include <libsvm/svm.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "math/distances.hpp"
#include "math/gemm.hpp"

namespace fearnet {
namespace {

struct FreeModel {
    void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};
using Model = std::unique_ptr<svm_model, FreeModel>;

// libsvm prints its progress unless it is told not to, once for the whole process.
void silence_libsvm() {
    static const bool done = (svm_set_print_string_function([](const char*) {}), true);
    (void)done;
}

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

// The rows as libsvm wants them: index and value of every entry, -1 behind the last.
struct Problem {
    std::vector<svm_node> nodes;
    std::vector<svm_node*> rows;
    std::vector<double> labels;
    svm_problem problem = {};

    explicit Problem(MatrixView x) : nodes(x.rows * (x.cols + 1)), labels(x.rows, 1.0) {
        for (std::size_t i = 0; i < x.rows; ++i) {
            svm_node* row = nodes.data() + i * (x.cols + 1);
            for (std::size_t j = 0; j < x.cols; ++j)
                row[j] = {static_cast<int>(j) + 1, static_cast<double>(x(i, j))};
            row[x.cols] = {-1, 0};
            rows.push_back(row);
        }
        problem.l = static_cast<int>(x.rows);
        problem.y = labels.data();
        problem.x = rows.data();
    }
};

svm_parameter parameters(double nu, double gamma) {
    svm_parameter p = {};
    p.svm_type = ONE_CLASS;
    p.kernel_type = RBF;
    p.gamma = gamma;
    p.nu = nu;
    p.cache_size = 200;  // MB
    p.eps = 1e-3;
    p.shrinking = 1;
    return p;
}

}  // namespace

OneClassSvm OneClassSvm::fit(MatrixView rows, const OneClassSvmOptions& options, const Progress& progress) {
    constexpr std::size_t kStages = 3;
    silence_libsvm();
    OneClassSvm result;
    // As a float from here on: a loaded machine is then the same machine.
    result.gamma_ = static_cast<float>(options.gamma > 0 ? options.gamma : gamma_for(rows));
    report(progress, {"router", 0, kStages, 0}, "learn");
    const Problem problem(rows);
    report(progress, {"router", 1, kStages, 0}, "learn");
    const svm_parameter p = parameters(options.nu, static_cast<double>(result.gamma_));
    const Model model(svm_train(&problem.problem, &p));
    report(progress, {"router", 2, kStages, 0}, "learn");

    const std::size_t count = static_cast<std::size_t>(model->l);
    result.support_ = Matrix(count, rows.cols);
    result.weights_ = Matrix(1, count);
    result.rho_ = static_cast<float>(model->rho[0]);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = static_cast<std::size_t>(model->sv_indices[i] - 1);
        std::copy_n(rows.row(row), rows.cols, result.support_.row(i));
        result.weights_(0, i) = static_cast<float>(model->sv_coef[0][i]);
    }
    result.measure();
    report(progress, {"router", kStages, kStages, 0}, "learn");
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
    Matrix numbers(1, 2);
    numbers(0, 0) = gamma_;
    numbers(0, 1) = rho_;
    state.set(prefix + ".support", support_);
    state.set(prefix + ".weights", weights_);
    state.set(prefix + ".numbers", std::move(numbers));
}

OneClassSvm OneClassSvm::load(const State& state, const std::string& prefix) {
    OneClassSvm result;
    result.support_ = state.matrix(prefix + ".support");
    result.weights_ = state.matrix(prefix + ".weights", 1, result.support_.rows());
    const Matrix& numbers = state.matrix(prefix + ".numbers", 1, 2);
    result.gamma_ = numbers(0, 0);
    result.rho_ = numbers(0, 1);
    result.measure();
    return result;
}

}  // namespace fearnet
