// What FearNetPlus knows, without the rows it still keeps.
#pragma once

#include <functional>
#include <set>

#include "learners/fearnet_plus/choices.hpp"
#include "learners/fearnet_plus/class_shapes.hpp"
#include "learners/fearnet_plus/feature_map.hpp"
#include "learners/fearnet_plus/packed_symmetric.hpp"

namespace fearnet {

// Rows with the columns of their classes.
struct PlusRows {
    MatrixView x;
    std::span<const std::int32_t> columns;
};

// Says how many steps are done.
using PlusSteps = std::function<void(std::size_t)>;

class PlusModel {
  public:
    PlusModel() = default;

    // The base session: chooses all settings on rows it holds out in turn. Makes base_steps steps.
    static PlusModel base(const FearNetPlusOptions& options, bool root, const PlusRows& rows,
                          std::size_t classes, const PlusSteps& steps);
    static std::size_t base_steps(const PlusRows& rows, std::size_t classes);
    // A session: counts its rows in, finds the directions of its new classes.
    void learn(const PlusRows& rows, std::size_t classes, const PlusSteps& steps);
    static constexpr std::size_t kLearnSteps = 3;
    // Chooses shrinkage and strength again with recent rows that it holds out, and looks at the classes of
    // `fresh`, all of whose rows are there, under the covariance as it is now.
    void sleep(const PlusRows& recent, const std::set<std::int32_t>& fresh, const PlusSteps& steps);
    static constexpr std::size_t kSleepSteps = 3;

    void drop(std::size_t column);
    Matrix scores(MatrixView x) const;
    // On the rows held out so far, and its standard error.
    double accuracy() const { return choices_.accuracy(); }
    double accuracy_error() const { return choices_.accuracy_error(); }
    const std::vector<std::int64_t>& counts() const { return moments_.counts; }
    std::size_t statistics_bytes() const;
    std::size_t readout_bytes() const { return readout_.bytes(); }

    void save(State& state) const;
    // Throws Error unless it has so many classes and features.
    static PlusModel load(const State& state, const FearNetPlusOptions& options, std::size_t classes,
                          std::size_t width);

  private:
    explicit PlusModel(const FearNetPlusOptions& options);
    void count(const PlusRows& rows, std::size_t classes);
    std::vector<double> accuracies(const ClassMoments& moments,
                                   const std::vector<std::pair<std::size_t, Matrix>>& by_class,
                                   const PlusRows& held) const;
    LinearReadout readout(const ClassMoments& moments, const SharedMetric& metric) const;
    void settle(const SharedMetric& metric, const PlusSettings& settings);
    void pack();

    FeatureMap map_;
    ClassMoments moments_;     // without the scatter, which is
    PackedSymmetric scatter_;  // packed
    LinearReadout readout_;
    ClassShapes shapes_;
    Choices choices_;
    bool posterior_ = true;
    std::size_t chosen_with_ = 0;  // so many classes known
};

}  // namespace fearnet
