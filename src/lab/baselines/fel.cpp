#include "lab/baselines/fel.hpp"

#include <algorithm>
#include <numeric>

#include "core/learners/fearnet/training.hpp"

namespace fearnet::lab {

void Fel::make_fixed_layer(FelNetwork& network) const {
    const FelOptions& o = settings();
    const auto hidden = static_cast<std::size_t>(o.hidden);
    const std::size_t units = fixed_units(hidden, static_cast<std::size_t>(o.max_classes));
    network.fixed = FixedLayer(hidden, units, static_cast<std::size_t>(o.connections), fixed_rng());
    network.rule = firing_rule(units, o.active_share, static_cast<float>(o.high), static_cast<float>(o.low));
}

FelNetwork Fel::first_network(MatrixView x) const {
    FelNetwork network;
    Rng rng = session_rng().fork(1);
    network.hidden = nn::make_dense(x.cols, static_cast<std::size_t>(settings().hidden), 0, rng);
    if (settings().standardize) standardize_hidden(network.hidden, x);
    make_fixed_layer(network);
    return network;
}

void Fel::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                const Progress& progress) {
    const FelOptions& o = settings();
    const bool first = first_session();
    FelNetwork network = first ? first_network(x) : network_;
    network.grow(classes);
    FelTrainer trainer(network);
    Rng shuffler = session_rng().fork(2);
    const auto epochs = static_cast<std::size_t>(first ? o.base_epochs : o.epochs);
    const std::size_t batch = std::min(static_cast<std::size_t>(o.batch), x.rows);
    std::vector<std::size_t> order(x.rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::int32_t> labels(batch);
    Matrix rows(batch, x.cols);
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
        shuffler.shuffle<std::size_t>(order);
        const double rate = o.rate * (first ? rate_share(RateDecay::linear, epoch, epochs) : o.later_rate);
        const double hidden_rate = rate * (first ? o.base_hidden_rate : o.hidden_rate);
        double loss = 0;
        for (std::size_t at = 0; at < x.rows; at += batch) {
            const std::size_t n = std::min(batch, x.rows - at);
            const std::span<const std::size_t> picked(order.data() + at, n);
            gather_rows(x, picked, MutableMatrixView(rows.data(), n, x.cols));
            for (std::size_t i = 0; i < n; ++i) labels[i] = columns[picked[i]];
            loss += trainer.step({rows.data(), n, x.cols}, {labels.data(), n}, rate, hidden_rate) *
                    static_cast<double>(n);
        }
        report(progress, {first ? "base" : "learn", epoch + 1, epochs, loss / static_cast<double>(x.rows)},
               "learn");
    }
    network_ = std::move(network);
}

MemoryUse Fel::memory() const {
    return {{"networks", network_.hidden.bytes() + network_.output.bytes()},
            {"fixed layer", network_.fixed.bytes()}};
}

void Fel::save_model(State& state) const {
    state.set("hidden.weight", network_.hidden.weight, ArrayKind::networks);
    state.set("hidden.bias", network_.hidden.bias, ArrayKind::networks);
    state.set("output", network_.output, ArrayKind::networks);
}

void Fel::load_model(const State& state) {
    const auto hidden = static_cast<std::size_t>(settings().hidden);
    network_.hidden.weight = state.matrix("hidden.weight", width(), hidden);
    network_.hidden.bias = state.matrix("hidden.bias", 1, hidden);
    make_fixed_layer(network_);
    network_.output = state.matrix("output", network_.fixed.units(), class_count());
}

}  // namespace fearnet::lab
