// FearNet (Kemker, Kanan: FearNet: Brain-Inspired Model for Incremental Learning, ICLR 2018).
#pragma once

#include <memory>

#include "fearnet/fearnet_options.hpp"
#include "fearnet/learner.hpp"

namespace fearnet {

// Learns new classes one at a time without keeping old data: new examples go to a recent memory that answers
// by nearest distance; sleep moves them into an autoencoder with a softmax head, replaying pseudo-examples of
// the old classes, and then deletes them; a router decides which of the two answers.
//
// The first session is the base knowledge and trains the long-term memory directly. Every later session is
// stored in the recent memory, and the router is trained anew. After sleep the learner holds no example, only
// networks and a mean and covariance per class.
//
// A first session of fewer than training.base_classes classes cannot be base knowledge: it waits, like those
// after it, in the recent memory, which answers alone until sleep makes the base knowledge of all that is
// stored there.
//
// A class can be in both memories; then both count. probabilities() is A P_HC + (1 - A) P_mPFC, and its
// largest is the answer.
//
// forget removes a class's rows, head column and statistics, and trains the router anew; the encoder and
// decoder keep what they learned from it. A learner that is left without consolidated classes starts again as
// above.
//
// With memory.budget everything kept stays within it: statistics get smaller, and a session that does not fit
// is refused with an Error.
//
// Cost: learn is one router training; sleep is the large one. Both report progress and can be cancelled.
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
    // "networks": of the long-term memory, and the router; "statistics": means and covariances; "examples":
    // the recent memory.
    MemoryUse memory() const override;
    std::map<std::string, std::string> options() const override;
    State save() const override;
    // Throws Error when `state` is not whole or not of this learner.
    static std::unique_ptr<FearNet> load(const State& state);

    // Whose examples are in the recent memory, and which the long-term memory knows.
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

    struct Parts;  // the three memories and the random stream
    std::unique_ptr<Parts> parts_;
};

}  // namespace fearnet
