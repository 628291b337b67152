// Ridge regression to one-hot targets from a Gram matrix and class sums; on the features, or on random ones
// (RanPAC: McDonnell et al., NeurIPS 2023).
#pragma once

#include "core/learners/kit/readout_learner.hpp"
#include "fearnet/registry.hpp"

namespace fearnet::lab {

struct RidgeOptions {
    double lambda = 0;
    bool intercept = true;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("ridge.lambda", lambda,
                 "Penalty on the squared weights, as a multiple of the mean diagonal of the Gram matrix. "
                 "0: chosen in the base session on a held-out fifth of its rows.",
                 0, 1e6);
        v.option("ridge.intercept", intercept,
                 "Centers rows and targets first, which gives an intercept without penalty.");
    }
    static std::vector<SearchRange> search_space() {
        return {{"ridge.lambda", {"0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1", "3"}}};
    }
};

// Below the first, float32 cannot tell a matrix of some thousand non-negative features from a singular one.
inline const std::vector<double> kRidgeCandidates = {1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3};

class Ridge final : public ReadoutLearner<Ridge, RidgeOptions> {
  public:
    explicit Ridge(const RidgeOptions& options = {}, std::uint64_t seed = 1)
        : ReadoutLearner(options, seed) {}

    std::string name() const override { return "ridge"; }

  protected:
    Matrix map(MatrixView x) const override { return Matrix(x); }
    LinearReadout solve(const ClassMoments& moments, double strength) const override {
        return ridge_readout(moments, strength, settings().intercept);
    }
    LeftOut solve_left_out(const ClassMoments& moments, double strength,
                           const RowSample& rows) const override {
        if (rows.columns.empty()) return {solve(moments, strength), {}};
        return ridge_left_out(moments, strength, settings().intercept, map(rows.x), rows.columns);
    }
    double strength_option() const override { return settings().lambda; }
    std::vector<double> candidates() const override { return kRidgeCandidates; }
};

struct RanPacOptions {
    std::int64_t size = 5000;
    RidgeOptions ridge = {.lambda = 0, .intercept = false};

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("ranpac.size", size,
                 "Number of random features: a fixed Gaussian projection followed by ReLU.", 1, 65536);
        ridge.describe(v);
    }
    static std::vector<SearchRange> search_space() { return RidgeOptions::search_space(); }
};

class RanPac final : public ReadoutLearner<RanPac, RanPacOptions> {
  public:
    explicit RanPac(const RanPacOptions& options = {}, std::uint64_t seed = 1)
        : ReadoutLearner(options, seed) {}

    std::string name() const override { return "ranpac"; }
    MemoryUse memory() const override;

  protected:
    Matrix map(MatrixView x) const override;
    LinearReadout solve(const ClassMoments& moments, double strength) const override {
        return ridge_readout(moments, strength, settings().ridge.intercept);
    }
    LeftOut solve_left_out(const ClassMoments& moments, double strength,
                           const RowSample& rows) const override {
        if (rows.columns.empty()) return {solve(moments, strength), {}};
        return ridge_left_out(moments, strength, settings().ridge.intercept, map(rows.x), rows.columns);
    }
    double strength_option() const override { return settings().ridge.lambda; }
    std::vector<double> candidates() const override { return kRidgeCandidates; }
    std::size_t mapped_width() const override { return static_cast<std::size_t>(settings().size); }
    // Draws the projection; it is a function of the seed and the width, so it is never saved.
    void prepare(std::size_t width) override;

  private:
    Matrix projection_;  // d x size
};

}  // namespace fearnet::lab
