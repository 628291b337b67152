// What FearNetPlus decides for itself, and how well each choice did.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fearnet/base/state.hpp"
#include "learners/fearnet_plus/options.hpp"

namespace fearnet {

struct PlusSettings {
    double shrinkage = 1;   // of the shared covariance
    double doubt = 1;       // of class means
    double strength = 0.1;  // of a class's own variance beside it; 0: all classes vary alike
};

// Every combination of the candidates, with the accuracy it had on held-out rows so far.
class Choices {
  public:
    Choices() = default;
    // What an option sets has one candidate. Random features want less shrinkage than given ones.
    Choices(const FearNetPlusOptions& options, bool random);

    const std::vector<double>& shrinkages() const { return shrinkages_; }
    const std::vector<double>& doubts() const { return doubts_; }
    const std::vector<double>& strengths() const { return strengths_; }
    // Combinations of one shrinkage.
    std::size_t per_shrinkage() const { return doubts_.size() * strengths_.size(); }
    // `accuracy` of each combination over so many rows: all strengths of the first doubt and shrinkage first,
    // then those of the next doubt.
    void add(std::span<const double> accuracy, std::size_t rows);
    // Whether this shrinkage did so badly that it need not be tried again: report 0 for it.
    bool hopeless(std::size_t shrinkage) const;
    // The one that did best; of shrinkages that cannot be told apart it takes the middle. Before any rows
    // were seen a usual one.
    PlusSettings best() const;
    // Its accuracy over all rows so far.
    double accuracy() const { return rows_ > 0 ? right_[as_good()[0]] / rows_ : 0; }
    double accuracy_error() const;

    void save(State& state) const;
    void load(const State& state);

  private:
    // The shrinkages, with the doubt and strength it takes, that cannot be told from the best one: that
    // first.
    std::vector<std::size_t> as_good() const;

    std::vector<double> shrinkages_, doubts_, strengths_;
    std::vector<double> right_;  // accuracy times rows
    double rows_ = 0;
};

}  // namespace fearnet
