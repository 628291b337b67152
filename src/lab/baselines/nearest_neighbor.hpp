// The nearest stored row: keeps every row it was taught.
#pragma once

#include "core/learners/kit/class_moments.hpp"
#include "core/math/distances.hpp"
#include "fearnet/scoring_learner.hpp"

namespace fearnet::lab {

struct NearestNeighborOptions {
    template <class Visitor>
    void describe(Visitor&) {}
};

// Predicts the class of the nearest stored row (Euclidean, exact); of classes at exactly the same distance
// the one with the smallest id.
class NearestNeighbor final : public ScoringLearner<NearestNeighbor, NearestNeighborOptions> {
  public:
    explicit NearestNeighbor(const NearestNeighborOptions& options = {}, std::uint64_t seed = 1)
        : ScoringLearner(options, seed) {}

    std::string name() const override { return "nearest-neighbor"; }
    MemoryUse memory() const override;

  protected:
    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override;
    // Minus the squared distance to the nearest row of each class.
    Matrix scores(MatrixView x) const override;
    // Shares of the inverse distances.
    void to_probabilities(std::span<float> scores) const override;
    void save_model(State& state) const override;
    void load_model(const State& state) override;

  private:
    void append(MatrixView x, const std::vector<std::vector<std::size_t>>& by_class);

    Matrix rows_;
    std::vector<float> norms_;             // squared, one per row
    std::vector<math::RowGroup> classes_;  // which rows are of which column, session by session
};

}  // namespace fearnet::lab
