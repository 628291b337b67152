// Fits every outlier detector on the array `fit` of an .npz and writes the decisions on its array `test`, one
// column per detector, for scikit-learn to be compared with.
//   usage: fearnet_outlier_decisions IN.npz OUT.npy TREES
#include <cstdio>
#include <cstdlib>

#include "io/npz.hpp"
#include "learners/outliers/elliptic_envelope.hpp"
#include "learners/outliers/isolation_forest.hpp"
#include "learners/outliers/one_class_svm.hpp"

int main(int argc, char** argv) try {
    using namespace fearnet;
    if (argc != 4) return std::fprintf(stderr, "usage: %s IN.npz OUT.npy TREES\n", argv[0]), 2;
    const io::NpzFile file{argv[1]};
    const Matrix fit = io::to_matrix(file.array("fit")), test = io::to_matrix(file.array("test"));
    const auto trees = static_cast<std::size_t>(std::atoi(argv[3]));
    const std::vector<double> columns[] = {
        IsolationForest::fit(fit, {.trees = trees}, Rng(1), {}).decision(test),
        EllipticEnvelope::fit(fit, {}, Rng(1), {}).decision(test),
        OneClassSvm::fit(fit, {}, {}).decision(test)};
    Matrix out(test.rows(), 3);
    for (std::size_t i = 0; i < out.rows(); ++i)
        for (std::size_t j = 0; j < 3; ++j) out(i, j) = static_cast<float>(columns[j][i]);
    io::write_file_atomically(argv[2], io::npy_from(MatrixView(out)));
    return 0;
} catch (const std::exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
}
