// Isolation forest (Liu, Ting, Zhou: Isolation Forest, ICDM 2008): trees of random splits; a row that few
// splits suffice to separate from the others is an outlier.
#pragma once

#include <cstdint>

#include "fearnet/rng.hpp"
#include "lab/outliers/outlier_detector.hpp"

namespace fearnet::lab {

struct IsolationForestOptions {
    std::size_t trees = 100;
    std::size_t subsample = 256;  // rows per tree, drawn without replacement; all when there are fewer
    double contamination = 0.1;   // share of the fitted rows that are called outliers
};

// score(x) = 2^(-E[path length of x] / c(subsample)); decision is the threshold less the score.
class IsolationForest final : public OutlierDetector {
  public:
    // rows is not empty. Reports progress tree by tree.
    static IsolationForest fit(MatrixView rows, const IsolationForestOptions& options, Rng rng,
                               const Progress& progress);

    std::vector<double> decision(MatrixView rows) const override;
    // The paper's anomaly score of each row, in 0..1: above 0.5 is unusual.
    std::vector<double> scores(MatrixView rows) const;
    std::size_t width() const override { return width_; }
    std::size_t bytes() const override;
    void save(State& state, const std::string& prefix) const override;
    static IsolationForest load(const State& state, const std::string& prefix);

    // c(n): mean path length of an unsuccessful search in a binary search tree of n rows.
    static double average_path(std::size_t n);

  private:
    struct Node {
        std::int32_t feature = -1;  // -1: a leaf
        std::int32_t left = 0;      // right is the next one; both come after their parent
        float value = 0;            // threshold (smaller or equal goes left); of a leaf the path length
    };
    struct Grower;

    std::vector<Node> nodes_;          // all trees, one behind the other
    std::vector<std::int32_t> roots_;  // where each tree begins
    std::size_t width_ = 0;
    std::size_t subsample_ = 0;  // rows per tree
    float threshold_ = 0;        // of the score
};

}  // namespace fearnet::lab
