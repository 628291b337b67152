// The router: how likely is it that the memory of x is a recent one? The paper's BLA.
#pragma once

#include "learners/fearnet/hippocampus.hpp"
#include "learners/fearnet/prefrontal_cortex.hpp"

namespace fearnet {

class Amygdala {
  public:
    // Learns to tell the recent memory's rows from pseudo-examples of the consolidated classes, then shifts
    // its logit so that the psi rule answers best on recent rows it has not seen. Scaling of the inputs and
    // the shift end up in the network's own numbers. Both memories are non-empty.
    void fit(const Hippocampus& recent, const PrefrontalCortex& consolidated, const FearNetOptions& options,
             Rng rng, const Progress& progress);
    void clear() { *this = {}; }
    bool trained() const { return !network_.encoder.empty(); }
    bool sees_codes() const { return sees_codes_; }

    // A(x) of each row, in 0..1. `input` is features or codes, as it was fitted.
    std::vector<double> recent_probability(MatrixView input) const;

    std::size_t bytes() const { return network_.bytes(); }
    void save(State& state) const;
    static Amygdala load(const State& state);

  private:
    std::vector<double> scores(MatrixView input) const;  // before the logistic
    void calibrate(const Hippocampus& studied, const Hippocampus& held_out,
                   const PrefrontalCortex& consolidated, const FearNetOptions& options, Rng rng);

    nn::Network network_;
    bool sees_codes_ = false;
};

}  // namespace fearnet
