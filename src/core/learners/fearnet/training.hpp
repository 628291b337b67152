// What the training loops of the networks share.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/base/gather_rows.hpp"
#include "core/nn/trainer.hpp"
#include "fearnet/fearnet_options.hpp"
#include "fearnet/progress.hpp"

namespace fearnet {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Seconds since some fixed moment.
using Clock = std::function<double()>;
double steady_seconds();

// How long some work may still take: `seconds` from now, 0 for ever. Tests pass a clock of their own.
class TimeLimit {
  public:
    explicit TimeLimit(double seconds = 0, Clock clock = steady_seconds);
    bool limited() const { return end_ < kNoLimit; }
    double now() const { return clock_(); }
    double left() const { return end_ - clock_(); }  // kNoLimit without a limit; below 0 when it is over
    // The same limit on the same clock, `seconds` sooner.
    TimeLimit sooner(double seconds) const;

  private:
    Clock clock_;
    double end_;
};

// How far a training is, which is what its learning rate follows: by its epochs or, with a limit, by the
// clock, whichever is further. With a limit the rate changes in every step, and the training is over, its
// rate fallen all the way, when the time is; at least one epoch is made.
class Pace {
  public:
    Pace(RateDecay decay, std::size_t epochs, std::size_t steps_per_epoch,
         const TimeLimit& limit = TimeLimit());

    double rate_share() const;  // of the next step
    void finish_step();
    bool over() const { return over_; }  // the time is up; changes in finish_step only
    std::size_t epochs_done() const;     // as progress reports it: all of them when over

  private:
    double progress() const;

    RateDecay decay_;
    std::size_t epochs_, steps_per_epoch_, steps_ = 0;
    TimeLimit limit_;
    double start_, seconds_;
    bool over_ = false;
};

struct TrainingPhase {
    std::string name;  // what progress reports
    std::size_t epochs = 0;
    std::size_t batch = 0;
    RateDecay decay = RateDecay::none;
    nn::TrainerOptions trainer = {};
    TimeLimit limit = TimeLimit();  // see Pace
};

nn::NetworkShape network_shape(const FearNetOptions& options, std::size_t inputs, std::size_t outputs,
                               bool decoder);
nn::TrainerOptions trainer_options(const FearNetOptions& options, double decoder_share);
// `epochs`, or as many more as `min_steps` batches take.
std::size_t epochs_for(std::int64_t epochs, std::int64_t min_steps, std::size_t rows, std::size_t batch);
// Share of the learning rate in `epoch` of `epochs`.
double rate_share(RateDecay decay, std::size_t epoch, std::size_t epochs);

// Epochs of shuffled batches over rows held in memory; `soft`, when it has rows, goes with them (see
// nn::Trainer). Throws Cancelled; the network is then half trained, so callers train a copy.
void train_on_rows(nn::Network& network, MatrixView x, std::span<const std::int32_t> labels,
                   const TrainingPhase& phase, Rng rng, const Progress& progress, MatrixView soft = {});

}  // namespace fearnet
