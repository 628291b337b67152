#include "lab/outliers/support_vectors.hpp"

#include <libsvm/svm.h>

#include <memory>

namespace fearnet::lab {
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

SupportVectors find_support_vectors(MatrixView rows, double nu, double gamma, const Progress& progress) {
    constexpr std::size_t kStages = 3;
    silence_libsvm();
    report(progress, {"router", 0, kStages, 0}, "learn");
    const Problem problem(rows);
    report(progress, {"router", 1, kStages, 0}, "learn");
    const svm_parameter p = parameters(nu, gamma);
    const Model model(svm_train(&problem.problem, &p));
    report(progress, {"router", 2, kStages, 0}, "learn");

    SupportVectors result;
    result.rho = model->rho[0];
    for (int i = 0; i < model->l; ++i) {
        result.rows.push_back(static_cast<std::size_t>(model->sv_indices[i] - 1));
        result.weights.push_back(model->sv_coef[0][i]);
    }
    report(progress, {"router", kStages, kStages, 0}, "learn");
    return result;
}

}  // namespace fearnet::lab
