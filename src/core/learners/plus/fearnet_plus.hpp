// FearNet in closed form: one linear discriminant over all classes, recent and old.
#pragma once

#include "core/learners/kit/row_store.hpp"
#include "core/learners/plus/plus_model.hpp"
#include "fearnet/scoring_learner.hpp"

namespace fearnet {

// The base session chooses the feature map and the other settings. Every session is added to class means, one
// shared covariance and, if they were chosen, class covariances; its rows are kept until sleep. Sleep fits
// the recent classes' covariances again and deletes all rows. docs/learners/fearnet_plus.md has the
// equations.
class FearNetPlus final : public ScoringLearner<FearNetPlus, PlusOptions> {
  public:
    explicit FearNetPlus(const PlusOptions& options = {}, std::uint64_t seed = 1)
        : ScoringLearner(options, seed) {}

    std::string name() const override { return "fearnet-plus"; }
    // "statistics": means, covariances and the weights of random features; "readout"; "examples": rows since
    // the last sleep.
    MemoryUse memory() const override;
    // The scores of all classes, in the order of classes(). There must be a class.
    PlusFormula formula() const;
    std::vector<double> expected_accuracy() const override;
    std::vector<ClassReview> review() const override;
    Matrix whitened_means() const override;
    std::vector<ClassId> recent_classes() const override { return ids_of(recent_.columns()); }
    std::vector<ClassId> consolidated_classes() const override { return ids_of(consolidated_); }

  private:
    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override;
    std::vector<SuspectRow> do_suspect_rows(const LabeledView& session) const override;
    void do_sleep(const SleepEffort& effort, const Progress& progress) override;
    bool can_drop() const override { return true; }
    void drop(std::size_t column) override;
    Matrix scores(MatrixView x) const override;
    std::vector<double> do_familiarity(MatrixView x) const override { return model_.scored(x).familiarity; }
    ScoredRows do_scored(MatrixView x) const override;
    Matrix do_class_p_values(MatrixView x) const override;
    void to_probabilities(std::span<float> scores) const override;
    Matrix do_whitened(MatrixView x) const override { return model_.whitened_rows(x); }
    void save_model(State& state) const override;
    void load_model(const State& state) override;

    // Learns the base session with the feature map that has the best leave-one-out accuracy.
    PlusModel base(const PlusRows& rows, std::size_t classes, std::size_t frames,
                   const Progress& progress) const;
    struct Candidate {
        PlusTransform transform;
        std::size_t random = 0, frames = 1;
    };
    std::vector<Candidate> candidates(std::size_t width, std::size_t classes, std::size_t frames) const;
    // For rows, or frames, of this width.
    std::size_t random_features(std::size_t width) const;
    // The frames of a row of this width: as set, or 1 for a transform without random features.
    std::size_t frames_of(std::size_t width) const;
    std::size_t budget() const { return static_cast<std::size_t>(settings().memory_budget); }
    // Whether `more` rows fit into the budget beside the model.
    bool within_budget(const PlusModel& model, MatrixView more) const;
    // Removes axes of class covariances, which is enough: teach refuses what does not fit without any.
    void keep_within_budget(PlusModel& model) const;

    PlusModel model_;
    RowStore recent_;
    // Columns of the classes known at the last sleep, or from a base session of several.
    std::vector<std::int32_t> consolidated_;
};

}  // namespace fearnet
