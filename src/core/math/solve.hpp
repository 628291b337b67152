// Linear equations with a symmetric positive definite matrix.
#pragma once

#include <vector>

#include "fearnet/matrix.hpp"

namespace fearnet::math {

// Turns every column c of `b` into L^-1 c, where L . L^T = a is the Cholesky factor, which overwrites `a`:
// the columns of the result have the products c^T . a^-1 . c'. False, with both spoiled, when `a` is not
// positive definite.
bool whiten(MutableMatrixView a, MutableMatrixView b);

// A symmetric positive definite matrix a = L . L^T, factored once and asked many times.
class CholeskyFactor {
  public:
    // Only the lower triangle of `a` is read. Throws Error when it is not positive definite.
    explicit CholeskyFactor(Matrix a);

    // Each turns every row r of `b`: into a^-1 r, into L^-1 r (whose squared length is r . a^-1 . r), or into
    // L^-T r.
    void solve(MutableMatrixView b) const;
    void whiten(MutableMatrixView b) const;
    void unwhiten(MutableMatrixView b) const;
    // The smallest square on L's diagonal: with nothing lost to rounding, of a = b + ridge I with b positive
    // semidefinite, it is at least the ridge.
    double least_pivot() const;
    // L, with zeros above its diagonal.
    Matrix lower() const;
    std::size_t size() const { return factor_.rows(); }

  private:
    Matrix factor_;                 // L in the lower triangle
    std::vector<Matrix> inverses_;  // of the blocks of its diagonal: then solving is all matrix products
};

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
// The same of a matrix without negative eigenvalues, by subspace iteration where that is faster: the first
// ones to about four digits, where eigenvalues are close any of their mixtures. One thread.
std::vector<Eigenpair> leading_eigenvectors(MatrixView a, std::size_t count);

}  // namespace fearnet::math
