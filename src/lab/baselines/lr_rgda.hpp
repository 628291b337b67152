// LR-RGDA (Rao et al., arXiv 2602.00144): Gaussian classes whose covariance is a low-rank one of their own,
// plus the shared one, plus a multiple of the identity. Scores are linear with a quadratic term of low rank.
#pragma once

#include <memory>

#include "core/learners/kit/linear_readout.hpp"
#include "fearnet/registry.hpp"
#include "fearnet/scoring_learner.hpp"

namespace fearnet::lab {

struct LrRgdaOptions {
    double own = 0;
    double shared = 1;
    double identity = 0;
    std::int64_t rank = 64;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option(
            "rgda.class", own,
            "Weight of the covariance of the class. 0: chosen in the base session on a held-out fifth of "
            "its rows.",
            0, 1e6);
        v.option("rgda.shared", shared, "Weight of the covariance that all classes share.", 0, 1e6);
        v.option("rgda.identity", identity,
                 "Weight of the identity, as a multiple of the mean variance of the shared covariance. 0: "
                 "chosen in the base session on a held-out fifth of its rows.",
                 0, 1e6);
        v.option("rgda.rank", rank,
                 "Maximum rank of the covariance of each class; the directions of largest variance are kept.",
                 1, 65536);
    }
    static std::vector<SearchRange> search_space() {
        return {{"rgda.class", {"0.01", "0.03", "0.1", "0.3", "1"}},
                {"rgda.identity", {"0.1", "0.3", "1", "3", "10"}}};
    }
};

// With A = shared S + identity mean(diag S) I, F_c the factor of class c and g, V the eigenvalues and vectors
// of F_c A^-1 F_c^T, the log-likelihoods of the classes, up to a common constant, are
//     w_c . x - w_c . m_c / 2 + sum_k (own p_k^2 / (1 + own g_k) - log(1 + own g_k)) / 2
//     w_c = A^-1 m_c      p = V^T F_c A^-1 (x - m_c)
// by Woodbury's identity and the determinant lemma. `own` stays free, so that many values are tried at once.
class LowRankDiscriminant {
  public:
    LowRankDiscriminant() = default;
    // `factors`: one of k x d per class. Throws Error when A cannot be factored.
    LowRankDiscriminant(const ClassMoments& moments, std::span<const std::shared_ptr<const Matrix>> factors,
                        double shared, double identity);

    Matrix scores(MatrixView x, double own) const;
    std::size_t bytes() const;

  private:
    LinearReadout linear_;
    Matrix directions_;               // of all classes, one below the other: V^T F_c A^-1
    std::vector<float> at_mean_;      // a direction times the mean of its class
    std::vector<double> values_;      // g of a direction
    std::vector<std::size_t> first_;  // direction of each class, and the end
};

class LrRgda final : public ScoringLearner<LrRgda, LrRgdaOptions> {
  public:
    explicit LrRgda(const LrRgdaOptions& options = {}, std::uint64_t seed = 1)
        : ScoringLearner(options, seed) {}

    std::string name() const override { return "lr-rgda"; }
    MemoryUse memory() const override;

  protected:
    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override;
    // Log-likelihoods up to a common term, so that their softmax needs no temperature.
    Matrix scores(MatrixView x) const override { return model_.scores(x, own_); }
    void save_model(State& state) const override;
    void load_model(const State& state) override;

  private:
    struct Statistics {
        ClassMoments moments;
        std::vector<std::shared_ptr<const Matrix>> factors;  // by column: k x d, unbiased covariance
    };
    void add(Statistics& statistics, MatrixView x, std::span<const std::int32_t> columns,
             std::size_t classes) const;
    LowRankDiscriminant solve(const Statistics& statistics, double identity) const {
        return {statistics.moments, statistics.factors, settings().shared, identity};
    }
    struct Weights {
        double own, identity;
    };
    Weights choose(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                   const Progress& progress) const;

    Statistics statistics_;
    LowRankDiscriminant model_;
    double own_ = 0, identity_ = 0;  // as given or chosen; 0 before the base session
};

}  // namespace fearnet::lab
