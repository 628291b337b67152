// The router: how likely is it that the memory of x is a recent one? The paper's BLA.
#pragma once

#include "core/learners/fearnet/hippocampus.hpp"
#include "core/learners/fearnet/prefrontal_cortex.hpp"
#include "core/learners/fearnet/router.hpp"

namespace fearnet {

class Amygdala {
  public:
    // Fits a router of kind amygdala.kind, then chooses the offset of its logit with which the psi rule is
    // most accurate on held-out rows (unless the verdict of the router selects the memory alone). Both
    // memories must be non-empty. Fits no router if needed() is false.
    void fit(const Hippocampus& recent, const PrefrontalCortex& consolidated, const FearNetOptions& options,
             Rng rng, const Progress& progress);
    // True if both memories are non-empty and some class is in only one of them; otherwise there is nothing
    // to train a router on.
    static bool needed(const Hippocampus& recent, const PrefrontalCortex& consolidated);
    void clear() { *this = {}; }
    bool trained() const { return router_ != nullptr; }
    bool sees_codes() const { return sees_codes_; }

    // A(x) of each row, in 0..1. `input` is features or codes, as in fit. Without a router A(x) is 1/2.
    std::vector<double> recent_probability(MatrixView input) const;

    std::size_t bytes() const { return router_ ? router_->bytes() : 0; }
    void save(State& state) const;
    // Loads a router of kind amygdala.kind. Throws Error if the router expects rows of another width.
    static Amygdala load(const State& state, const PrefrontalCortex& consolidated,
                         const FearNetOptions& options);

  private:
    void calibrate(const Hippocampus& studied, const Hippocampus& held_out,
                   const PrefrontalCortex& consolidated, const FearNetOptions& options, Rng rng);

    std::unique_ptr<Router> router_;
    bool sees_codes_ = false;
};

}  // namespace fearnet
