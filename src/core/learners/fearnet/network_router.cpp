#include "core/learners/fearnet/network_router.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/learners/fearnet/replay.hpp"
#include "core/learners/fearnet/training.hpp"

namespace fearnet {
namespace {

// Mean and deviation of every input over one epoch of the mixture.
struct Scaling {
    std::vector<float> mean, deviation;
};
Scaling measure(Replay& replay, std::size_t batch) {
    const std::size_t width = replay.width();
    std::vector<double> sum(width), squares(width);
    Matrix x(batch, width);
    std::vector<Replay::Origin> origins(batch);
    std::vector<std::size_t> items(batch);
    for (std::size_t first = 0; first < replay.size(); first += batch) {
        const std::size_t n = std::min(batch, replay.size() - first);
        std::iota(items.begin(), items.end(), first);
        replay.fill({items.data(), n}, 0, {x.data(), n, width}, {origins.data(), n});
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < width; ++j) {
                const double v = static_cast<double>(x(i, j));
                sum[j] += v;
                squares[j] += v * v;
            }
    }
    Scaling s{std::vector<float>(width), std::vector<float>(width)};
    const double n = static_cast<double>(replay.size());
    for (std::size_t j = 0; j < width; ++j) {
        s.mean[j] = static_cast<float>(sum[j] / n);
        const double variance = squares[j] / n - (sum[j] / n) * (sum[j] / n);
        // A constant input is not scaled.
        s.deviation[j] = variance > 1e-12 ? static_cast<float>(std::sqrt(variance)) : 1.0f;
    }
    return s;
}

// Standardization followed by the layer equals a layer with other weights and biases.
void fold_into(nn::Dense& layer, const Scaling& s) {
    for (std::size_t i = 0; i < layer.inputs(); ++i)
        for (std::size_t j = 0; j < layer.outputs(); ++j) {
            layer.weight(i, j) /= s.deviation[i];
            layer.bias(0, j) -= s.mean[i] * layer.weight(i, j);
        }
}

}  // namespace

NetworkRouter::NetworkRouter(const Hippocampus& recent, const PrefrontalCortex& consolidated,
                             const FearNetOptions& options, Rng rng, const Progress& progress) {
    ReplayOptions mixture;
    mixture.borrow_residuals = options.amygdala.borrow_residuals;
    mixture.codes = options.amygdala.input == RouterInput::codes;
    mixture.only_old = true;  // either memory may answer for a class that both hold
    Replay replay(recent, consolidated, mixture, rng.fork(1));

    Rng initial = rng.fork(2);
    nn::Network network(network_shape(options, replay.width(), 1, false),
                        static_cast<float>(options.network.bias), initial);
    nn::TrainerOptions training = trainer_options(options, 0);
    training.loss = nn::Loss::logistic;
    training.rate = options.amygdala.rate;
    const std::size_t batch = std::min(static_cast<std::size_t>(options.training.batch), replay.size());
    const std::size_t epochs =
        epochs_for(options.amygdala.epochs, options.amygdala.min_steps, replay.size(), batch);
    const Scaling scaling = options.amygdala.standardize ? measure(replay, batch) : Scaling{};
    nn::Trainer trainer(network, training, batch, rng.fork(3));
    Rng shuffler = rng.fork(4);
    std::vector<std::size_t> order(replay.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Matrix x(batch, replay.width());
    std::vector<Replay::Origin> origins(batch);
    std::vector<std::int32_t> labels(batch);
    const auto limit = static_cast<std::size_t>(options.amygdala.max_steps);
    std::size_t steps = 0;
    const auto over = [&] { return limit != 0 && steps >= limit; };
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
        shuffler.shuffle<std::size_t>(order);
        double loss = 0;
        for (std::size_t first = 0; first < order.size() && !over(); first += batch, ++steps) {
            const std::size_t n = std::min(batch, order.size() - first);
            const MutableMatrixView rows(x.data(), n, x.cols());
            const std::span<const std::size_t> left = std::span(order).subspan(first);
            replay.fill(left.first(n), epoch, rows, {origins.data(), n}, left.subspan(n));
            for (std::size_t i = 0; i < n; ++i) {
                labels[i] = origins[i].real;
                for (std::size_t j = 0; j < scaling.mean.size(); ++j)
                    x(i, j) = (x(i, j) - scaling.mean[j]) / scaling.deviation[j];
            }
            loss += trainer.step(rows, {labels.data(), n}).total() * static_cast<double>(n);
        }
        report(progress,
               {"router", over() ? epochs : epoch + 1, epochs, loss / static_cast<double>(order.size())},
               "learn");
        if (over()) break;
    }
    if (options.amygdala.standardize) fold_into(network.encoder.front(), scaling);
    network_ = std::move(network);
}

NetworkRouter::NetworkRouter(const State& state) : network_(nn::Network::load(state, "amygdala.network")) {
    if (network_.outputs() != 1)
        throw Error("State: the router has " + std::to_string(network_.outputs()) +
                    " outputs but 1 is needed");
}

std::vector<double> NetworkRouter::logits(MatrixView input) const {
    Matrix codes, z;
    network_.encode(input, codes);
    network_.scores(codes, z);
    return {z.data(), z.data() + z.rows()};
}

}  // namespace fearnet
