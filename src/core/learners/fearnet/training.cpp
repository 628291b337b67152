#include "core/learners/fearnet/training.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "core/base/parallel.hpp"

namespace fearnet {

nn::NetworkShape network_shape(const FearNetOptions& options, std::size_t inputs, std::size_t outputs,
                               bool decoder) {
    nn::NetworkShape shape;
    shape.inputs = inputs;
    for (std::int64_t units : options.network.hidden) shape.hidden.push_back(static_cast<std::size_t>(units));
    shape.outputs = outputs;
    shape.decoder = decoder;
    shape.code_layer = decoder && options.network.code_layer;
    return shape;
}

nn::TrainerOptions trainer_options(const FearNetOptions& options, double decoder_share) {
    nn::TrainerOptions t;
    t.rate = options.training.rate;
    t.decoder_rate = options.training.rate * decoder_share;
    t.dropout = options.network.dropout;
    t.reconstruction = options.network.reconstruction;
    return t;
}

std::size_t epochs_for(std::int64_t epochs, std::int64_t min_steps, std::size_t rows, std::size_t batch) {
    const std::size_t steps_per_epoch = (rows + batch - 1) / batch;
    const std::size_t needed = (static_cast<std::size_t>(min_steps) + steps_per_epoch - 1) / steps_per_epoch;
    return epochs == 0 ? 0 : std::max(static_cast<std::size_t>(epochs), needed);
}

double rate_share(RateDecay decay, std::size_t epoch, std::size_t epochs) {
    if (decay == RateDecay::none) return 1;
    return std::max(0.01, 1 - static_cast<double>(epoch) / static_cast<double>(epochs));
}

double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TimeLimit::TimeLimit(double seconds, Clock clock)
    : clock_(std::move(clock)), end_(seconds > 0 ? clock_() + seconds : kNoLimit) {}

TimeLimit TimeLimit::sooner(double seconds) const {
    TimeLimit limit = *this;
    limit.end_ -= seconds;
    return limit;
}

Pace::Pace(RateDecay decay, std::size_t epochs, std::size_t steps_per_epoch, const TimeLimit& limit)
    : decay_(decay),
      epochs_(epochs),
      steps_per_epoch_(steps_per_epoch),
      limit_(limit),
      start_(limit.now()),
      seconds_(std::max(limit.left(), 1e-9)) {}

double Pace::progress() const {
    const double elapsed = limit_.now() - start_;
    double end = seconds_;
    // The first epoch is made in any case; its rate must not have fallen long before its end.
    if (steps_ > 0 && steps_ < steps_per_epoch_)
        end = std::max(end, elapsed * static_cast<double>(steps_per_epoch_) / static_cast<double>(steps_));
    const double by_steps = static_cast<double>(steps_) / static_cast<double>(epochs_ * steps_per_epoch_);
    return std::min(1.0, std::max(by_steps, elapsed / end));
}

double Pace::rate_share() const {
    if (!limit_.limited()) return fearnet::rate_share(decay_, steps_ / steps_per_epoch_, epochs_);
    return decay_ == RateDecay::none ? 1 : std::max(0.01, 1 - progress());
}

void Pace::finish_step() {
    ++steps_;
    over_ = limit_.limited() && steps_ >= steps_per_epoch_ && limit_.left() <= 0;
}

std::size_t Pace::epochs_done() const {
    if (over_) return epochs_;
    if (!limit_.limited()) return steps_ / steps_per_epoch_;
    return static_cast<std::size_t>(progress() * static_cast<double>(epochs_));
}

void train_on_rows(nn::Network& network, MatrixView x, std::span<const std::int32_t> labels,
                   const TrainingPhase& phase, Rng rng, const Progress& progress, MatrixView soft) {
    const std::size_t batch = std::min(phase.batch, x.rows);
    nn::Trainer trainer(network, phase.trainer, batch, rng.fork(1));
    Rng shuffler = rng.fork(2);
    std::vector<std::size_t> order(x.rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Matrix rows(batch, x.cols), soft_rows(soft.rows ? batch : 0, soft.cols);
    std::vector<std::int32_t> targets(batch);
    Pace pace(phase.decay, phase.epochs, (x.rows + batch - 1) / batch, phase.limit);
    for (std::size_t epoch = 0; epoch < phase.epochs && !pace.over(); ++epoch) {
        shuffler.shuffle<std::size_t>(order);
        double loss = 0;
        std::size_t seen = 0;
        for (std::size_t first = 0; first < x.rows && !pace.over(); first += batch) {
            const std::size_t n = std::min(batch, x.rows - first);
            trainer.set_rate_share(pace.rate_share());
            const std::span<const std::size_t> picked(order.data() + first, n);
            gather_rows(x, picked, MutableMatrixView(rows.data(), n, x.cols));
            for (std::size_t i = 0; i < n; ++i) targets[i] = labels[picked[i]];
            const MutableMatrixView soft_batch(soft_rows.data(), soft.rows ? n : 0, soft.cols);
            if (soft.rows) gather_rows(soft, picked, soft_batch);
            loss += trainer.step({rows.data(), n, x.cols}, {targets.data(), n}, soft_batch).total() *
                    static_cast<double>(n);
            seen += n;
            pace.finish_step();
        }
        report(progress, {phase.name, pace.epochs_done(), phase.epochs, loss / static_cast<double>(seen)},
               "learn");
    }
}

}  // namespace fearnet
