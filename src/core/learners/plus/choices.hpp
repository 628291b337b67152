// What FearNetPlus decides for itself, and how well each choice did.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fearnet/plus_options.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

// How rows of a class may lie further away from its mean where they vary more.
struct PlusKind {
    double pull = 0;        // how much the angle to the mean counts instead of the distance
    double strength = 0.1;  // of a class's own variance beside the shared one; 0: all classes vary alike
};

struct PlusSettings {
    double shrinkage = 1;  // of the shared covariance
    double doubt = 1;      // of class means
    PlusKind kind = {};
};

// Every combination of the candidates, with the accuracy it had on held-out rows so far.
class Choices {
  public:
    Choices() = default;
    // What an option sets has one candidate. Random features want less shrinkage than given ones.
    Choices(const PlusOptions& options, bool random);

    const std::vector<double>& shrinkages() const { return shrinkages_; }
    const std::vector<double>& doubts() const { return doubts_; }
    const std::vector<PlusKind>& kinds() const { return kinds_; }
    // Combinations of one shrinkage: all kinds of the first doubt, then those of the next.
    std::size_t per_shrinkage() const { return doubts_.size() * kinds_.size(); }
    // `accuracy` of each combination on so many held-out rows, after learning from `learned` others of so
    // many classes: those of the first shrinkage first.
    void add(std::span<const double> accuracy, std::size_t rows, std::int64_t learned, std::size_t classes);
    // Whether this shrinkage did so badly that it need not be tried again: report 0 for it.
    bool hopeless(std::size_t shrinkage) const;
    // The one that did best, for a covariance of so many rows; of shrinkages that cannot be told apart it
    // takes the middle, of strengths the least. Before any rows were seen a usual one. What a covariance is
    // off by falls with the root of its rows, and so does the shrinkage, unless an option sets it.
    PlusSettings best(std::int64_t rows) const;
    // Its accuracy over all rows so far.
    double accuracy() const { return rows_ > 0 ? right_[as_good()[0]] / rows_ : 0; }
    double accuracy_error() const;
    // Whether there were any.
    bool any() const { return rows_ > 0; }

    void save(State& state) const;
    void load(const State& state);

  private:
    // The shrinkages, with the doubt and strength it takes, that cannot be told from the best one: that
    // first.
    std::vector<std::size_t> as_good() const;

    std::vector<double> shrinkages_, doubts_;
    std::vector<PlusKind> kinds_;
    std::vector<double> right_;  // accuracy times rows
    double rows_ = 0;
    std::int64_t learned_ = 0, classes_ = 0;  // rows that the last choice was made with, and their classes
};

}  // namespace fearnet
