// FearNet (Kemker, Kanan: FearNet: Brain-Inspired Model for Incremental Learning, ICLR 2018).
#pragma once

#include <memory>

#include "fearnet/fearnet_options.hpp"
#include "fearnet/learner.hpp"

namespace fearnet {

// Learns new classes one at a time without keeping old data. New examples go to a recent memory, which
// classifies by nearest distance. Sleep consolidates them into the long-term memory, an autoencoder with a
// softmax head, while replaying pseudo-examples of the old classes, and then deletes them. A router decides
// which of the two memories predicts.
//
// The first session, the base session, trains the long-term memory directly. Every later session is stored in
// the recent memory, and the router is retrained. After sleep the learner holds no example, only networks and
// a mean and covariance per class.
//
// A first session of fewer than training.base_classes classes is stored in the recent memory, like the
// sessions after it. The recent memory predicts alone until a sleep trains the long-term memory on all stored
// examples.
//
// A class can be in both memories. probabilities() is A P_HC + (1 - A) P_mPFC, and the prediction is the
// class with the largest probability.
//
// forget removes the rows, output unit and statistics of a class and retrains the router; the weights of the
// encoder and decoder do not change. A learner without consolidated classes left starts again as above.
//
// familiarity and class_p_values compare rows with the class means in the given features. Both are missing if
// memory.budget leaves no room for these means.
//
// memory.budget limits the memory of the learner: statistics are made smaller, and a session that does not
// fit is refused with an Error.
//
// Cost: learn trains the router; sleep trains the long-term memory, which takes far longer. Both report
// progress and can be cancelled.
class FearNet final : public Learner, public MemoryRouting {
  public:
    using Options = FearNetOptions;
    explicit FearNet(const FearNetOptions& options = {}, std::uint64_t seed = 1);
    ~FearNet() override;
    FearNet(FearNet&&) noexcept;
    FearNet& operator=(FearNet&&) noexcept;

    std::string name() const override { return "fearnet"; }
    std::vector<ClassId> classes() const override;
    std::size_t width() const override;
    // "networks": of the long-term memory, and the router; "statistics": means and covariances, and what
    // familiarity needs; "examples": the recent memory.
    MemoryUse memory() const override;
    std::map<std::string, std::string> options() const override;
    State save() const override;
    // Throws Error if `state` is incomplete or of another learner.
    static std::unique_ptr<FearNet> load(const State& state);

    // The classes with examples in the recent memory, and the classes of the long-term memory.
    std::vector<ClassId> recent_classes() const override;
    std::vector<ClassId> consolidated_classes() const override;

    const MemoryRouting* routing() const override { return this; }
    std::vector<Explanation> explain(MatrixView x) const override;
    std::vector<ClassId> oracle_answers(std::span<const Explanation> explained,
                                        std::span<const ClassId> truth) const override;
    void to_probabilities(std::span<float>) const override {}  // the scores are probabilities

  private:
    void do_learn(const LabeledView& session, const Progress& progress) override;
    void do_sleep(const SleepEffort& effort, const Progress& progress) override;
    void do_forget(ClassId id, const Progress& progress) override;
    Matrix do_scores(MatrixView x) const override;
    std::vector<double> do_familiarity(MatrixView x) const override;
    Matrix do_class_p_values(MatrixView x) const override;

    struct Parts;  // the three memories, the familiar classes and the random stream
    std::unique_ptr<Parts> parts_;
};

}  // namespace fearnet
