// The class of the nearest mean, by a project that knows only the installed headers.
#pragma once

#include <fearnet/registry.hpp>
#include <fearnet/scoring_learner.hpp>

namespace outside {

struct MeanOptions {
    static constexpr const char* kLearner = "outside-mean";
    double scale = 10;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("mean.scale", scale, "How much a squared distance counts in the softmax.", 1e-6, 1e6);
    }
};

class Mean final : public fearnet::ScoringLearner<Mean, MeanOptions> {
  public:
    explicit Mean(const MeanOptions& options = {}, std::uint64_t seed = 1) : ScoringLearner(options, seed) {}
    std::string name() const override { return MeanOptions::kLearner; }
    fearnet::MemoryUse memory() const override { return {{"statistics", means_.bytes()}}; }

  private:
    void teach(fearnet::MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const fearnet::Progress& progress) override;
    fearnet::Matrix scores(fearnet::MatrixView x) const override;
    void save_model(fearnet::State& state) const override;
    void load_model(const fearnet::State& state) override;

    fearnet::Matrix means_;             // classes x features
    std::vector<std::int64_t> counts_;  // rows of each class
};

// Makes it known to make_learner and to brains. To be called once.
void register_mean();

}  // namespace outside
