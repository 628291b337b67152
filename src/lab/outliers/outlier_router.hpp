// The supplement's other routers: an outlier detector fitted on the recent memory. Outliers belong to the
// long-term memory.
#pragma once

#include "core/learners/fearnet/router.hpp"
#include "fearnet/fearnet_options.hpp"
#include "fearnet/progress.hpp"
#include "fearnet/rng.hpp"
#include "lab/outliers/outlier_detector.hpp"

namespace fearnet::lab {

class OutlierRouter final : public Router {
  public:
    // `rows`: the recent memory's, as features or codes; not empty. options.kind is that of a detector.
    // Throws Error when the detector cannot be fitted.
    OutlierRouter(MatrixView rows, const AmygdalaOptions& options, Rng rng, const Progress& progress);
    OutlierRouter(const State& state, const AmygdalaOptions& options);

    // With rejection, plus or minus infinity: the verdict alone selects the memory. Without rejection, the
    // decision value in units of its standard deviation over the fitted rows.
    std::vector<double> logits(MatrixView input) const override;
    void shift(double offset) override { shift_ += static_cast<float>(offset); }
    std::size_t width() const override { return detector_->width(); }
    std::size_t bytes() const override { return detector_->bytes() + sizeof(spread_) + sizeof(shift_); }
    void save(State& state) const override;

  private:
    std::unique_ptr<OutlierDetector> detector_;
    bool rejection_ = true;
    float spread_ = 1, shift_ = 0;
};

// Registers the three kinds of detectors with FearNet.
void register_outlier_routers();

}  // namespace fearnet::lab
