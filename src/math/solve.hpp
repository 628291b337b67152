// Linear equations with a symmetric positive definite matrix.
#pragma once

#include <vector>

#include "fearnet/base/matrix.hpp"

namespace fearnet::math {

// Turns every row r of `b` into the solution x of a . x = r, through a Cholesky factor that overwrites `a`
// (only its upper triangle is read). False, with `a` and `b` spoiled, when `a` is not positive definite.
bool solve_positive_definite(MutableMatrixView a, MutableMatrixView b);

// Turns every column c of `b` into L^-1 c, where L . L^T = a is the Cholesky factor, which overwrites `a`:
// the columns of the result have the products c^T . a^-1 . c'. False as above.
bool whiten(MutableMatrixView a, MutableMatrixView b);

// The k x d factor with k <= max_rank whose product factor^T . factor is the closest to rows^T . rows: its
// directions of largest variance. 0 keeps all with any variance. `left_out` is the sum of the variances left
// out.
Matrix compressed_factor(MatrixView rows, std::size_t max_rank, double& left_out);

// Eigenvalues of a symmetric matrix with their vectors, largest first, at most `count`.
struct Eigenpair {
    double value = 0;
    std::vector<float> vector;
};
std::vector<Eigenpair> largest_eigenvectors(MatrixView a, std::size_t count);

}  // namespace fearnet::math
