// Streaming LDA on random Fourier features (Rahimi, Recht: Random features for large-scale kernel machines,
// 2007): a discriminant analysis in the space of a Gaussian kernel, exact in any order of the rows.
#pragma once

#include "core/learners/kit/readout_learner.hpp"
#include "fearnet/registry.hpp"

namespace fearnet::lab {

struct FourierLdaOptions {
    std::int64_t size = 5000;
    double bandwidth = 1;
    double shrinkage = 0;

    template <class Visitor>
    void describe(Visitor& v) {
        v.option("fourier.size", size, "Number of random Fourier features.", 1, 65536);
        v.option("fourier.bandwidth", bandwidth,
                 "Bandwidth of the Gaussian kernel, as a multiple of the root mean squared distance "
                 "between two rows of the base session.",
                 1e-3, 1e3);
        v.option("lda.shrinkage", shrinkage,
                 "Ridge added to the diagonal of the covariance, as a multiple of its mean diagonal. 0: "
                 "chosen in the base session on a held-out fifth of its rows.",
                 0, 1e6);
    }
    static std::vector<SearchRange> search_space() {
        return {{"fourier.bandwidth", {"0.3", "0.5", "0.7", "1", "1.5", "2"}}};
    }
};

class FourierLda final : public ReadoutLearner<FourierLda, FourierLdaOptions> {
  public:
    explicit FourierLda(const FourierLdaOptions& options = {}, std::uint64_t seed = 1)
        : ReadoutLearner(options, seed) {}

    std::string name() const override { return "fourier-lda"; }
    MemoryUse memory() const override;

  protected:
    void teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
               const Progress& progress) override;
    Matrix map(MatrixView x) const override;
    LinearReadout solve(const ClassMoments& moments, double strength) const override {
        return lda_readout(moments, strength);
    }
    double strength_option() const override { return settings().shrinkage; }
    std::vector<double> candidates() const override {
        return {1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1};
    }
    std::size_t mapped_width() const override { return static_cast<std::size_t>(settings().size); }
    void save_model(State& state) const override;
    void load_model(const State& state) override;
    // Draws the projection; it is a function of the seed and the width, so it is never saved.
    void prepare(std::size_t width) override;

  private:
    Matrix projection_;  // d x size, of unit normals
    Matrix phase_;       // 1 x size
    double width_ = 0;   // of the kernel; 0 before the base session
};

}  // namespace fearnet::lab
