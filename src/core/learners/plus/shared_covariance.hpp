// Distances in units of the covariance that all classes share.
#pragma once

#include <functional>

#include "core/learners/kit/linear_readout.hpp"
#include "core/math/solve.hpp"

namespace fearnet {

// W = scatter / n + ridge I with ridge = shrinkage * mean(diag(scatter / n)), factored. Without any variance
// W is the identity.
class SharedCovariance {
  public:
    // With this shrinkage, or with the next stronger one at which rounding does not decide: every packing of
    // the scatter rounds it. Throws Error when there is none.
    SharedCovariance(const ClassMoments& moments, double shrinkage);
    // The same of a scatter of so many rows that is not needed any more; `again` makes another one, in case
    // the shrinkage was too weak.
    SharedCovariance(Matrix scatter, std::int64_t rows, double shrinkage,
                     const std::function<Matrix()>& again);

    double ridge() const { return ridge_; }
    // Effective degrees of freedom: trace((scatter / n) W^-1), estimated with kProbes random vectors to about
    // two percent for many features.
    static constexpr std::size_t kProbes = 16;
    double effective_dof() const {
        Matrix none(0, factor_.size());
        return whiten_with_dof(none);
    }
    // whiten(rows) and effective_dof() in one pass over the factor.
    double whiten_with_dof(Matrix& rows) const;
    // Turns differences of features (rows) into ones whose length is the distance.
    void whiten(Matrix& rows) const { factor_.whiten(rows); }
    // The inverse of whiten: turns rows of the identity as covariance into ones of W.
    void color(Matrix& rows) const;
    // Turns directions among such rows into functions of features: g . x = direction . whitened x.
    void as_functions(Matrix& directions) const { factor_.unwhiten(directions); }

  private:
    struct Solved {
        math::CholeskyFactor factor;
        double ridge;
    };
    explicit SharedCovariance(Solved solved) : factor_(std::move(solved.factor)), ridge_(solved.ridge) {}
    static Solved solved(Matrix scatter, std::int64_t rows, double shrinkage,
                         const std::function<Matrix()>& again);

    math::CholeskyFactor factor_;
    double ridge_ = 0;
};

}  // namespace fearnet
