// What the training loops of the networks share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fearnet/base/progress.hpp"
#include "fearnet/learners/fearnet_options.hpp"
#include "nn/trainer.hpp"

namespace fearnet {

struct TrainingPhase {
    std::string name;  // what progress reports
    std::size_t epochs = 0;
    std::size_t batch = 0;
    RateDecay decay = RateDecay::none;
    nn::TrainerOptions trainer = {};
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

// Epochs of shuffled batches over rows held in memory; `soft`, when it has rows, goes with them (see nn::Trainer).
// Throws Cancelled; the network is then half trained, so callers train a copy.
void train_on_rows(nn::Network& network, MatrixView x, std::span<const std::int32_t> labels,
                   const TrainingPhase& phase, Rng rng, const Progress& progress, MatrixView soft = {});

}  // namespace fearnet
