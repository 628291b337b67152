// The paper's upper reference: an MLP of the encoder's shape, trained on all data at once.
#pragma once

#include "fearnet/fearnet_options.hpp"
#include "fearnet/learner.hpp"

namespace fearnet::lab {

// Not incremental: it can be taught once, and a second session is an Error. Uses network.*, training.rate,
// training.batch and training.offline_epochs of the options; the others are accepted and ignored, so that one
// set of settings serves the learner and its reference.
class OfflineMlp final : public Learner {
  public:
    using Options = FearNetOptions;
    explicit OfflineMlp(const FearNetOptions& options = {}, std::uint64_t seed = 1);
    ~OfflineMlp() override;

    std::string name() const override { return "offline-mlp"; }
    std::vector<ClassId> classes() const override;
    std::size_t width() const override;
    MemoryUse memory() const override;
    std::map<std::string, std::string> options() const override;
    State save() const override;
    static std::unique_ptr<OfflineMlp> load(const State& state);

  private:
    void do_learn(const LabeledView& session, const Progress& progress) override;
    Matrix do_scores(MatrixView x) const override;
    void to_probabilities(std::span<float>) const override {}  // the scores are probabilities

    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace fearnet::lab
