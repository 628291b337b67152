// FearNet with its memories joined: one read-out over all classes, recent and old, that is taught in closed
// form, and a sleep that looks closer at the recent ones before it deletes their rows.
#pragma once

#include "core/learners/kit/row_store.hpp"
#include "core/learners/plus/plus_model.hpp"
#include "fearnet/scoring_learner.hpp"

namespace fearnet {

// The base session chooses how features are seen. Every session is counted into class means, one shared
// covariance and the directions in which each class varies most; its rows are kept until sleep. Sleep looks
// at the recent classes once more, keeps what it made of them unless it answers worse than before, and
// deletes all rows. docs/learners/fearnet_plus.md has the equations.
class FearNetPlus final : public ScoringLearner<FearNetPlus, PlusOptions> {
  public:
    explicit FearNetPlus(const PlusOptions& options = {}, std::uint64_t seed = 1)
        : ScoringLearner(options, seed) {}

    std::string name() const override { return "fearnet-plus"; }
    // "statistics": means, covariances and what makes random features; "readout"; "examples": rows since the
    // last sleep.
    MemoryUse memory() const override;
    // How it scores all classes, recent ones too, in the order of classes(); it must know some.
    PlusFormula formula() const;
    std::vector<ClassId> recent_classes() const override { return ids_of(recent_.columns()); }
    std::vector<ClassId> consolidated_classes() const override { return ids_of(consolidated_); }

  private:
    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override;
    void do_sleep(const SleepEffort& effort, const Progress& progress) override;
    bool can_drop() const override { return true; }
    void drop(std::size_t column) override;
    Matrix scores(MatrixView x) const override;
    void to_probabilities(std::span<float> scores) const override;
    void save_model(State& state) const override;
    void load_model(const State& state) override;

    // The base session as the features, their roots or random features answer held-out rows best.
    PlusModel base(const PlusRows& rows, std::size_t classes, std::size_t frames,
                   const Progress& progress) const;
    struct Candidate {
        PlusTransform transform;
        std::size_t random = 0, frames = 1;
    };
    std::vector<Candidate> candidates(std::size_t width, std::size_t classes, std::size_t frames) const;
    // Of rows, or pieces of them, this wide.
    std::size_t random_features(std::size_t width) const;
    // As set, or as found in the rows of the base session.
    std::size_t frames_of(MatrixView x) const;
    std::size_t budget() const { return static_cast<std::size_t>(settings().memory_budget); }
    // Whether more rows can be kept beside the model.
    bool within_budget(const PlusModel& model, MatrixView more) const;
    // Gives up directions, which is enough: teach refuses what cannot be kept.
    void keep_within_budget(PlusModel& model) const;

    PlusModel model_;
    RowStore recent_;
    // Columns of the classes known at the last sleep, or from a base session of several.
    std::vector<std::int32_t> consolidated_;
};

}  // namespace fearnet
