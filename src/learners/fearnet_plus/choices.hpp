// What FearNetPlus decides for itself, and how well each choice did.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fearnet/base/state.hpp"
#include "learners/fearnet_plus/options.hpp"

namespace fearnet {

struct PlusSettings {
    double shrinkage = 1;  // of the shared covariance
    double prior = 100;  // examples it weighs beside a class's own; infinity: no class has a shape of its own
};

// Every combination of the candidates, with the accuracy it had on held-out rows so far.
class Choices {
  public:
    Choices() = default;
    // What an option sets has one candidate.
    explicit Choices(const FearNetPlusOptions& options);

    const std::vector<double>& shrinkages() const { return shrinkages_; }
    const std::vector<double>& priors() const { return priors_; }
    // `accuracy` of each combination over so many rows: all priors of the first shrinkage first.
    void add(std::span<const double> accuracy, std::size_t rows);
    // The one that did best, of equals the most cautious; before any rows were seen a usual one.
    PlusSettings best() const;
    // Its accuracy in a list such as add takes; before any rows were seen the largest there.
    double of_best(std::span<const double> accuracy) const;
    // Its accuracy over all rows so far.
    double accuracy() const { return rows_ > 0 ? right_[best_index()] / rows_ : 0; }

    void save(State& state) const;
    void load(const State& state);

  private:
    std::size_t best_index() const;

    std::vector<double> shrinkages_, priors_;
    std::vector<double> right_;  // accuracy times rows
    double rows_ = 0;
};

}  // namespace fearnet
