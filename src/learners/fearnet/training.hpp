// What the training loops of the networks share.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "fearnet/base/progress.hpp"
#include "fearnet/learners/fearnet_options.hpp"
#include "nn/trainer.hpp"

namespace fearnet {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// How long some work may still take: `seconds` from now, 0 for ever.
class TimeLimit {
  public:
    explicit TimeLimit(double seconds = 0) : seconds_(seconds > 0 ? seconds : kNoLimit) {}
    bool limited() const { return seconds_ < kNoLimit; }
    double left() const;  // kNoLimit without a limit; below 0 when it is over

  private:
    double seconds_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// How far a training is, which is what its learning rate follows: by its epochs or, with a limit, by the
// clock, whichever is further. With a limit the rate changes in every step, and the training is over, its
// rate fallen all the way, when the time is; at least one epoch is made.
class Pace {
  public:
    Pace(RateDecay decay, std::size_t epochs, std::size_t steps_per_epoch, double seconds = kNoLimit);

    double rate_share() const;  // of the next step
    void finish_step();
    bool over() const { return over_; }  // the time is up; changes in finish_step only
    std::size_t epochs_done() const;     // as progress reports it: all of them when over

  private:
    double progress() const;

    RateDecay decay_;
    std::size_t epochs_, steps_per_epoch_, steps_ = 0;
    double seconds_;
    TimeLimit clock_;
    bool over_ = false;
};

struct TrainingPhase {
    std::string name;  // what progress reports
    std::size_t epochs = 0;
    std::size_t batch = 0;
    RateDecay decay = RateDecay::none;
    nn::TrainerOptions trainer = {};
    double seconds = kNoLimit;  // see Pace
};

nn::NetworkShape network_shape(const FearNetOptions& options, std::size_t inputs, std::size_t outputs,
                               bool decoder);
nn::TrainerOptions trainer_options(const FearNetOptions& options, double decoder_share);
// `epochs`, or as many more as `min_steps` batches take.
std::size_t epochs_for(std::int64_t epochs, std::int64_t min_steps, std::size_t rows, std::size_t batch);
// Share of the learning rate in `epoch` of `epochs`.
double rate_share(RateDecay decay, std::size_t epoch, std::size_t epochs);

void gather_rows(MatrixView from, std::span<const std::size_t> rows, Matrix& out);
// The same into rows already there.
void gather_rows(MatrixView from, std::span<const std::size_t> rows, MutableMatrixView out);

// Epochs of shuffled batches over rows held in memory; `soft`, when it has rows, goes with them (see
// nn::Trainer). Throws Cancelled; the network is then half trained, so callers train a copy.
void train_on_rows(nn::Network& network, MatrixView x, std::span<const std::int32_t> labels,
                   const TrainingPhase& phase, Rng rng, const Progress& progress, MatrixView soft = {});

}  // namespace fearnet
