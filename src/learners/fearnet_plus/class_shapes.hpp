// How each class spreads, where that matters: a covariance per class in the few directions in which classes
// differ, as a correction of what the shared covariance says.
#pragma once

#include <span>
#include <vector>

#include "fearnet/base/state.hpp"
#include "math/excess_form.hpp"

namespace fearnet {

class ClassShapes {
  public:
    std::size_t rank() const { return basis_.rows(); }
    bool empty() const { return basis_.empty(); }
    const Matrix& basis() const { return basis_; }

    // Adds directions, the best first, as long as there are fewer than max_rank. `differences` are means of
    // classes off a common center and `solved` the same times the inverse of the shared covariance. In the
    // new directions a class known already has no shape of its own, only its mean of `means`. Call set_shared
    // before, unless there are no directions yet, and after.
    void extend(MatrixView differences, MatrixView solved, std::size_t max_rank, MatrixView means);
    // The mean covariance of the classes along the basis, k x k, and the same with the shrinkage of the
    // read-out: what the classes' own are compared with until the next call.
    void set_shared(const Matrix& mean, const Matrix& shrunk);
    // Examples that the shared covariance weighs beside a class's own.
    void set_prior(double prior) { prior_ = prior; }

    // Counts rows (as features) of one class in; a new class is the next column.
    void add(std::size_t column, MatrixView features);
    // As if nothing had been counted of the class.
    void reset(std::size_t column);
    void drop(std::size_t column) { classes_.erase(classes_.begin() + static_cast<std::ptrdiff_t>(column)); }
    // Makes the forms anew after set_shared or set_prior; `add` does so for its class.
    void refresh();

    // Adds the correction to the scores of the likeliest classes; the rest get the least of them.
    void correct(MatrixView features, Matrix& scores) const;

    std::size_t bytes() const;
    void save(State& state) const;
    // Throws Error unless it has so many classes and features.
    static ClassShapes load(const State& state, std::size_t classes, std::size_t width);

  private:
    struct Class {
        std::int64_t count = 0;
        std::vector<float> mean;     // k: of the rows' coordinates
        std::vector<float> scatter;  // packed: sum of squares around it, in the directions there were
        // Made from these:
        std::vector<float> form;  // packed; empty when it changes nothing
        float offset = 0;         // half the log determinant
    };
    void refresh(Class& c) const;

    Matrix basis_;   // k x features
    Matrix shared_;  // k x k: mean covariance along the basis
    Matrix factor_;  // k x k: Cholesky factor of the shrunk one
    double prior_ = 0;
    std::vector<Class> classes_;  // by column
};

}  // namespace fearnet
