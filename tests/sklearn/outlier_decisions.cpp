// Fits every outlier detector on the array `fit` of an .npz and writes the decisions on its array `test`, one
// column per fit, for scikit-learn to be compared with: FORESTS isolation forests with a seed each, of
// ENVELOPES elliptic envelopes the one with the smallest determinant, whose logarithm is printed, and the
// one-class SVM.
//   usage: fearnet_outlier_decisions IN.npz OUT.npy TREES FORESTS ENVELOPES
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "data/io/npz.hpp"
#include "lab/outliers/elliptic_envelope.hpp"
#include "lab/outliers/isolation_forest.hpp"
#include "lab/outliers/minimum_covariance.hpp"
#include "lab/outliers/one_class_svm.hpp"

int main(int argc, char** argv) try {
    using namespace fearnet;
    using namespace fearnet::lab;
    if (argc != 6)
        return std::fprintf(stderr, "usage: %s IN.npz OUT.npy TREES FORESTS ENVELOPES\n", argv[0]), 2;
    const io::NpzFile file{argv[1]};
    const Matrix fit = io::to_matrix(file.array("fit")), test = io::to_matrix(file.array("test"));
    const auto number = [&](int i) { return static_cast<std::uint64_t>(std::atoi(argv[i])); };
    std::vector<std::vector<double>> columns;
    for (std::uint64_t seed = 1; seed <= number(4); ++seed)
        columns.push_back(IsolationForest::fit(fit, {.trees = number(3)}, Rng(seed), {}).decision(test));
    Rows rows(static_cast<Eigen::Index>(fit.rows()), static_cast<Eigen::Index>(fit.cols()));
    for (std::size_t i = 0; i < fit.rows(); ++i)
        std::copy_n(fit.row(i), fit.cols(), rows.row(static_cast<Eigen::Index>(i)).data());
    double least = std::numeric_limits<double>::infinity();
    std::uint64_t best = 1;
    for (std::uint64_t seed = 1; seed <= number(5); ++seed) {
        const double size = scatter_of(rows, most_compact_rows(rows, 0, Rng(seed), {}), 0).log_determinant;
        if (size < least) least = size, best = seed;
    }
    std::printf("%.6f\n", least);
    columns.push_back(EllipticEnvelope::fit(fit, {}, Rng(best), {}).decision(test));
    columns.push_back(OneClassSvm::fit(fit, {}, {}).decision(test));
    Matrix out(test.rows(), columns.size());
    for (std::size_t i = 0; i < out.rows(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j) out(i, j) = static_cast<float>(columns[j][i]);
    io::write_file_atomically(argv[2], io::npy_from(MatrixView(out)));
    return 0;
} catch (const std::exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
}
