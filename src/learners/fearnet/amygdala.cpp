#include "learners/fearnet/amygdala.hpp"

#include <algorithm>
#include <numeric>

#include "learners/fearnet/replay.hpp"
#include "learners/fearnet/training.hpp"
#include "nn/kernels.hpp"

namespace fearnet {

void Amygdala::fit(const Hippocampus& recent, const PrefrontalCortex& consolidated, const FearNetOptions& options,
                   Rng rng, const Progress& progress) {
    ReplayOptions mixture;
    mixture.borrow_residuals = options.amygdala.borrow_residuals;
    mixture.codes = options.amygdala.input == RouterInput::codes;
    Replay replay(recent, consolidated, mixture, rng.fork(1));

    Rng initial = rng.fork(2);
    nn::Network network(network_shape(options, replay.width(), 1, false), static_cast<float>(options.network.bias),
                        initial);
    nn::TrainerOptions training = trainer_options(options, 0);
    training.loss = nn::Loss::logistic;
    training.rate = options.amygdala.rate;
    const std::size_t batch = std::min(static_cast<std::size_t>(options.training.batch), replay.size());
    const std::size_t epochs = static_cast<std::size_t>(options.amygdala.epochs);
    nn::Trainer trainer(network, training, batch, rng.fork(3));
    Rng shuffler = rng.fork(4);
    std::vector<std::size_t> order(replay.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Matrix x(batch, replay.width());
    std::vector<Replay::Origin> origins(batch);
    std::vector<std::int32_t> labels(batch);
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
        shuffler.shuffle<std::size_t>(order);
        double loss = 0;
        for (std::size_t first = 0; first < order.size(); first += batch) {
            const std::size_t n = std::min(batch, order.size() - first);
            const MutableMatrixView rows(x.data(), n, x.cols());
            replay.fill({order.data() + first, n}, epoch, rows, {origins.data(), n});
            for (std::size_t i = 0; i < n; ++i) labels[i] = origins[i].real;
            loss += trainer.step(rows, {labels.data(), n}).total() * static_cast<double>(n);
        }
        report(progress, {"router", epoch + 1, epochs, loss / static_cast<double>(order.size())}, "learn");
    }
    network_ = std::move(network);
    sees_codes_ = mixture.codes;
}

std::vector<double> Amygdala::recent_probability(MatrixView input) const {
    Matrix codes, z;
    network_.encode(input, codes);
    network_.scores(codes, z);
    std::vector<double> result(input.rows);
    for (std::size_t i = 0; i < input.rows; ++i) result[i] = nn::logistic(static_cast<double>(z(i, 0)));
    return result;
}

void Amygdala::save(State& state) const {
    state.set("amygdala.trained", std::vector<std::int64_t>{trained(), sees_codes_});
    if (trained()) network_.save(state, "amygdala.network");
}

Amygdala Amygdala::load(const State& state) {
    const auto& flags = state.integer("amygdala.trained");
    Amygdala result;
    if (flags.size() != 2 || !flags[0]) return result;
    result.network_ = nn::Network::load(state, "amygdala.network");
    result.sees_codes_ = flags[1] != 0;
    return result;
}

}  // namespace fearnet
