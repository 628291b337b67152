// How accurate classes will be among all classes, after their rows are gone.
#pragma once

#include <span>
#include <utility>
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
    // What the pseudo-rows of every class that are not classified correctly are classified as: the most
    // frequent classes first, at most `most`, with their shares of the errors. Empty where the spread is 0.
    std::vector<std::vector<std::pair<std::size_t, double>>> confusions(std::span<const float> spreads,
                                                                        std::size_t most) const;
    // From now on, multiplies the score of every class at its own mean.
    void set_own_factors(std::vector<float> factors) { own_factors_ = std::move(factors); }

  private:
    // The scores at the mean of a class, of the classes that are highest there.
    struct AtMean {
        std::size_t own = 0;
        float own_score = 0;
        std::vector<std::size_t> rivals;
        std::vector<float> scores;  // of the rivals
    };
    // Calls f(scores at the mean) for every class.
    template <class F>
    void for_each_mean(const F& f) const;
    // Calls f(class, limits), where limits are by sample the spread at which another class wins.
    template <class F>
    void for_each_class(const F& f) const;

    const LinearReadout& readout_;
    const ClassMoments& moments_;
    std::vector<float> own_factors_;  // by class; empty: all are 1
    Matrix noise_;                    // samples x classes: what the random vectors add to the scores
};

}  // namespace fearnet
