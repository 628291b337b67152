// FeCAM (Goswami et al., NeurIPS 2023): a covariance per class, shrunk and made comparable, and Mahalanobis
// distances. Optionally calibrated (C-FeCAM: Goswami et al., CVPR workshops 2024).
#pragma once

#include <memory>

#include "core/learners/kit/softmax_temperature.hpp"
#include "fearnet/registry.hpp"
#include "fearnet/scoring_learner.hpp"
#include "lab/baselines/low_rank_gaussian.hpp"

namespace fearnet::lab {

struct FeCamOptions {
    double gamma1 = 0;
    double gamma2 = 0;
    double power = 0.5;
    bool correlation = true;
    std::int64_t max_rank = 100;
    std::int64_t neighbors = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("fecam.gamma1", gamma1,
                 "Shrinkage of the diagonal: this multiple of the mean variance is added to it. 0: chosen "
                 "in the base session on a held-out fifth of its rows.",
                 0, 1e6);
        v.option("fecam.gamma2", gamma2,
                 "Shrinkage of the off-diagonal entries: this multiple of the mean covariance is added to "
                 "them.",
                 0, 1e6);
        v.option("fecam.power", power,
                 "Exponent of Tukey's transform, applied to every feature first, keeping its sign. 1: no "
                 "transform.",
                 0.01, 10);
        v.option("fecam.correlation", correlation,
                 "Divides the shrunk covariance by its standard deviations, so that all classes have the "
                 "same scale.");
        v.option("fecam.max_rank", max_rank,
                 "Maximum rank of each covariance; the directions of largest variance are kept, and the "
                 "remaining variance is spread evenly. 0: no maximum.",
                 0, 65536);
        v.option("fecam.neighbors", neighbors,
                 "Covariance calibration (C-FeCAM): a class taught after the base session adds a mean of the "
                 "covariances of this many base classes, those with the most similar means. 0: none.",
                 0, 65536);
    }
    // Chosen on a held-out fifth of the training rows (docs/learners/fecam.md).
    static std::vector<Preset> presets() {
        return {{"cifar100", {{"fecam.gamma1", "10"}}},
                {"cub200", {{"fecam.gamma1", "30"}}},
                {"audioset", {{"fecam.gamma1", "100"}, {"fecam.power", "1"}}}};
    }
    static std::vector<SearchRange> search_space() {
        return {{"fecam.gamma1", {"0.1", "1", "3", "10", "30", "100", "300"}}, {"fecam.power", {"0.5", "1"}}};
    }
};

// Predicts the class with the smallest Mahalanobis distance; of equals the one with the smallest id.
class FeCam final : public ScoringLearner<FeCam, FeCamOptions> {
  public:
    explicit FeCam(const FeCamOptions& options = {}, std::uint64_t seed = 1)
        : ScoringLearner(options, seed) {}

    std::string name() const override { return "fecam"; }
    MemoryUse memory() const override;

  protected:
    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override;
    // Minus half the squared distances.
    Matrix scores(MatrixView x) const override;
    double temperature() const override { return temperature_; }
    void save_model(State& state) const override;
    void load_model(const State& state) override;

  private:
    struct Class {
        LowRankCovariance covariance;  // of the rows of the class
        MahalanobisDistance distance;  // made from the covariance, calibrated or not
    };
    using Classes = std::vector<std::shared_ptr<const Class>>;  // by column
    std::shared_ptr<const Class> make(LowRankCovariance covariance, double gamma) const;
    // With the covariance calibrated by the first `base` of `classes`.
    std::shared_ptr<const Class> make_calibrated(LowRankCovariance covariance, double gamma,
                                                 const Classes& classes, std::size_t base) const;
    // Of the rows of `x` numbered in `chosen`.
    LowRankCovariance covariance_of(MatrixView x, std::span<const std::size_t> chosen) const;
    double choose_gamma(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes) const;
    // Scores by `taught`, each row as if its class were fitted without it.
    Matrix left_out_scores(const RowSample& rows, const Classes& taught) const;
    Matrix mapped(MatrixView x) const;
    std::size_t max_rank() const { return static_cast<std::size_t>(settings().max_rank); }
    std::size_t neighbors() const { return static_cast<std::size_t>(settings().neighbors); }

    Classes classes_;       // shared with the copy a session works on
    std::size_t base_ = 0;  // classes of the base session
    SoftmaxTemperature temperature_fit_;
    double temperature_ = 1;  // by the fit
    double gamma_ = 0;        // gamma1 as given or chosen; 0 before the base session
};

}  // namespace fearnet::lab
