// The router: how likely is it that the memory of x is a recent one? The paper's BLA.
#pragma once

#include "core/learners/fearnet/hippocampus.hpp"
#include "core/learners/fearnet/prefrontal_cortex.hpp"
#include "core/learners/fearnet/router.hpp"

namespace fearnet {

class Amygdala {
  public:
    // Fits a router of the kind that the options name, then shifts its logit so that the psi rule answers
    // best on recent rows it has not seen (unless its verdict stands alone). Both memories are non-empty.
    // Where it is not needed there will be no router.
    void fit(const Hippocampus& recent, const PrefrontalCortex& consolidated, const FearNetOptions& options,
             Rng rng, const Progress& progress);
    // Both memories hold something, and some class is in one of them only: otherwise no row is evidence.
    static bool needed(const Hippocampus& recent, const PrefrontalCortex& consolidated);
    void clear() { *this = {}; }
    bool trained() const { return router_ != nullptr; }
    bool sees_codes() const { return sees_codes_; }

    // A(x) of each row, in 0..1. `input` is features or codes, as it was fitted. Without a router 1/2: both
    // memories count the same.
    std::vector<double> recent_probability(MatrixView input) const;

    std::size_t bytes() const { return router_ ? router_->bytes() : 0; }
    void save(State& state) const;
    // Of the kind that the options name, for a long-term memory as it was fitted with. Throws Error when the
    // router takes rows of another width.
    static Amygdala load(const State& state, const PrefrontalCortex& consolidated,
                         const FearNetOptions& options);

  private:
    void calibrate(const Hippocampus& studied, const Hippocampus& held_out,
                   const PrefrontalCortex& consolidated, const FearNetOptions& options, Rng rng);

    std::unique_ptr<Router> router_;
    bool sees_codes_ = false;
};

}  // namespace fearnet
