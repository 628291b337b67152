// Streaming linear discriminant analysis: class means and one shared covariance, exact in any order of the
// rows.
#pragma once

#include "core/learners/kit/power_transform.hpp"
#include "core/learners/kit/readout_learner.hpp"
#include "fearnet/registry.hpp"

namespace fearnet::lab {

enum class LdaTransform { none, sqrt };

struct StreamingLdaOptions {
    double shrinkage = 0;
    LdaTransform transform = LdaTransform::none;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("lda.shrinkage", shrinkage,
                 "Ridge added to the diagonal of the covariance, as a multiple of its mean diagonal. 0: "
                 "chosen in the base session on a held-out fifth of its rows.",
                 0, 1e6);
        v.option("lda.transform", transform,
                 "Transform of every feature: none, or the signed square root, which suits non-negative "
                 "features.",
                 {"none", "sqrt"});
    }
    // Chosen on a held-out fifth of the training rows (docs/learners/streaming_lda.md).
    static std::vector<Preset> presets() {
        return {{"cifar100", {{"lda.shrinkage", "0.01"}, {"lda.transform", "sqrt"}}},
                {"cub200", {{"lda.shrinkage", "1"}, {"lda.transform", "sqrt"}}},
                {"audioset", {{"lda.shrinkage", "3"}}}};
    }
    static std::vector<SearchRange> search_space() {
        return {{"lda.shrinkage", {"0.003", "0.01", "0.03", "0.1", "0.3", "1", "3", "10"}},
                {"lda.transform", {"none", "sqrt"}}};
    }
};

class StreamingLda final : public ReadoutLearner<StreamingLda, StreamingLdaOptions> {
  public:
    explicit StreamingLda(const StreamingLdaOptions& options = {}, std::uint64_t seed = 1)
        : ReadoutLearner(options, seed) {}

    std::string name() const override { return "streaming-lda"; }

  protected:
    Matrix map(MatrixView x) const override {
        Matrix mapped(x);
        if (settings().transform == LdaTransform::sqrt) power_transform(mapped, 0.5);
        return mapped;
    }
    LinearReadout solve(const ClassMoments& moments, double strength) const override {
        return lda_readout(moments, strength);
    }
    bool estimates_familiarity() const override { return true; }
    double strength_option() const override { return settings().shrinkage; }
    std::vector<double> candidates() const override { return {0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10}; }
};

}  // namespace fearnet::lab
