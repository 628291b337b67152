// How accurate classes will be among all classes, after their rows are gone.
#pragma once

#include <span>
#include <vector>

#include "core/learners/plus/shared_covariance.hpp"

namespace fearnet {

// Replays pseudo-rows of every class: its mean plus `spread` times random vectors of the shared covariance W.
// While the rows of a class are there, the spread is found with which pseudo-rows are classified as
// accurately as the rows. Later the same spread tells the accuracy among more classes.
class PseudoRows {
  public:
    // Keeps references to the first two.
    PseudoRows(const LinearReadout& readout, const ClassMoments& moments, const SharedCovariance& covariance);

    // The accuracy of every class with these spreads; 0 stays 0.
    std::vector<double> accuracies(std::span<const float> spreads) const;
    // Sets the spread of the classes that are not negative in `accuracies`.
    void fit(std::span<const double> accuracies, std::span<float> spreads) const;

  private:
    // Calls f(class, limits), where limits are by sample the spread at which another class wins.
    template <class F>
    void for_each_class(const F& f) const;

    const LinearReadout& readout_;
    const ClassMoments& moments_;
    Matrix noise_;  // samples x classes: what the random vectors add to the scores
};

}  // namespace fearnet
