// The training of a one-class SVM. Only support_vectors.cpp uses libsvm; support_vectors_none.cpp replaces it
// in builds without libsvm (FEARNET_SVM=OFF).
#pragma once

#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/progress.hpp"

namespace fearnet::lab {

struct SupportVectors {
    std::vector<std::size_t> rows;  // indices of the rows that support
    std::vector<double> weights;    // alpha, one each
    double rho = 0;
};

// With the kernel exp(-gamma |x - y|^2). Reports progress before and after, but cannot be interrupted itself.
// Throws Error in a build without libsvm.
SupportVectors find_support_vectors(MatrixView rows, double nu, double gamma, const Progress& progress);

}  // namespace fearnet::lab
