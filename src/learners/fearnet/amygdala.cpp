#include "learners/fearnet/amygdala.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learners/fearnet/replay.hpp"
#include "learners/fearnet/training.hpp"
#include "nn/kernels.hpp"

namespace fearnet {
namespace {

struct Split {
    Hippocampus studied, held_out;
};

// Keeps `share` of each class's rows from the router's training; a class always studies at least one.
Split hold_out(const Hippocampus& recent, double share, Rng rng) {
    Split split;
    std::vector<std::size_t> order;
    Matrix rows;
    for (const Hippocampus::ClassExamples& c : recent.contents()) {
        order.resize(c.rows.rows());
        std::iota(order.begin(), order.end(), std::size_t{0});
        rng.shuffle<std::size_t>(order);
        const std::size_t held =
            std::min(order.size() - 1,
                     static_cast<std::size_t>(std::lround(share * static_cast<double>(order.size()))));
        const auto put = [&](Hippocampus& into, std::span<const std::size_t> which) {
            if (which.empty()) return;
            gather_rows(c.rows, which, rows);
            into.store({rows, std::vector<ClassId>(which.size(), c.id)});
        };
        put(split.held_out, {order.data(), held});
        put(split.studied, {order.data() + held, order.size() - held});
    }
    return split;
}

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
        // An input that does not vary says nothing; leave its size alone.
        s.deviation[j] = variance > 1e-12 ? static_cast<float>(std::sqrt(variance)) : 1.0f;
    }
    return s;
}

// (x - mean) / deviation followed by the layer is the layer with other numbers.
void fold_into(nn::Dense& layer, const Scaling& s) {
    for (std::size_t i = 0; i < layer.inputs(); ++i)
        for (std::size_t j = 0; j < layer.outputs(); ++j) {
            layer.weight(i, j) /= s.deviation[i];
            layer.bias(0, j) -= s.mean[i] * layer.weight(i, j);
        }
}

// One row as the psi rule sees it: log max P_HC + logit A - log max P_mPFC, and whether each memory would be
// right.
struct Case {
    double lead;
    bool right;  // of the memory that should answer
};

// The offset of the logit that makes the psi rule answer best, over held-out recent rows that should go to
// the recent memory and pseudo-examples that should not; the middle one of equals.
double best_offset(const std::vector<Case>& recent, const std::vector<Case>& old, double recent_weight) {
    constexpr double kLimit = 8, kStep = 0.25;
    double best = -1;
    std::vector<double> winners;
    for (double offset = -kLimit; offset <= kLimit; offset += kStep) {
        double found = 0, kept = 0;
        for (const Case& c : recent) found += c.right && c.lead + offset > 0;
        for (const Case& c : old) kept += c.right && c.lead + offset <= 0;
        const double value = recent_weight * found / static_cast<double>(recent.size()) +
                             (1 - recent_weight) * kept / static_cast<double>(old.size());
        if (value > best + 1e-12) winners.clear();
        best = std::max(best, value);
        if (value >= best - 1e-12) winners.push_back(offset);
    }
    return winners[winners.size() / 2];
}

}  // namespace

void Amygdala::fit(const Hippocampus& recent, const PrefrontalCortex& consolidated,
                   const FearNetOptions& options, Rng rng, const Progress& progress) {
    const Split split = hold_out(recent, options.amygdala.held_out, rng.fork(5));
    ReplayOptions mixture;
    mixture.borrow_residuals = options.amygdala.borrow_residuals;
    mixture.codes = options.amygdala.input == RouterInput::codes;
    Replay replay(split.studied, consolidated, mixture, rng.fork(1));

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
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
        shuffler.shuffle<std::size_t>(order);
        double loss = 0;
        for (std::size_t first = 0; first < order.size(); first += batch) {
            const std::size_t n = std::min(batch, order.size() - first);
            const MutableMatrixView rows(x.data(), n, x.cols());
            replay.fill({order.data() + first, n}, epoch, rows, {origins.data(), n});
            for (std::size_t i = 0; i < n; ++i) {
                labels[i] = origins[i].real;
                for (std::size_t j = 0; j < scaling.mean.size(); ++j)
                    x(i, j) = (x(i, j) - scaling.mean[j]) / scaling.deviation[j];
            }
            loss += trainer.step(rows, {labels.data(), n}).total() * static_cast<double>(n);
        }
        report(progress, {"router", epoch + 1, epochs, loss / static_cast<double>(order.size())}, "learn");
    }
    if (options.amygdala.standardize) fold_into(network.encoder.front(), scaling);
    network_ = std::move(network);
    sees_codes_ = mixture.codes;
    if (!split.held_out.empty()) calibrate(split.studied, split.held_out, consolidated, options, rng.fork(6));
}

void Amygdala::calibrate(const Hippocampus& studied, const Hippocampus& held_out,
                         const PrefrontalCortex& consolidated, const FearNetOptions& options, Rng rng) {
    const auto cases = [&](MatrixView rows, auto recent_should_answer, auto label_is_right) {
        Matrix codes, old;
        consolidated.encode(rows, codes);
        consolidated.probabilities_of_codes(codes, old);
        Matrix near = studied.distances(rows);
        Hippocampus::to_probabilities(near, options.hippocampus);
        const std::vector<double> logits = scores(sees_codes_ ? MatrixView(codes) : rows);
        std::vector<Case> result;
        for (std::size_t i = 0; i < rows.rows; ++i) {
            const auto best_old = std::max_element(old.row(i), old.row(i) + old.cols());
            const auto best_near = std::max_element(near.row(i), near.row(i) + near.cols());
            const double lead = std::log(static_cast<double>(*best_near)) + logits[i] -
                                std::log(std::max(1e-30, static_cast<double>(*best_old)));
            const ClassId answer =
                recent_should_answer
                    ? studied.contents()[static_cast<std::size_t>(best_near - near.row(i))].id
                    : consolidated.classes()[static_cast<std::size_t>(best_old - old.row(i))];
            result.push_back({lead, label_is_right(answer)});
        }
        return result;
    };
    std::vector<Case> recent, old;
    for (const Hippocampus::ClassExamples& c : held_out.contents())
        for (const Case& k : cases(c.rows, true, [&](ClassId answer) { return answer == c.id; }))
            recent.push_back(k);

    // About as many pseudo-examples as there are held-out rows, but enough for a smooth choice, spread over
    // the classes.
    const std::size_t classes = consolidated.classes().size();
    const std::size_t per_class = (std::max<std::size_t>(held_out.size(), 1000) + classes - 1) / classes;
    ReplayOptions mixture;
    mixture.borrow_residuals = options.sleep.borrow_residuals;
    Replay replay(studied, consolidated, mixture, rng);
    Matrix rows;
    for (std::size_t column = 0; column < classes; ++column) {
        replay.pseudo_examples(column, per_class, rows);
        const ClassId id = consolidated.classes()[column];
        for (const Case& k : cases(rows, false, [&](ClassId answer) { return answer == id; }))
            old.push_back(k);
    }
    network_.head.bias(0, 0) += static_cast<float>(best_offset(recent, old, options.amygdala.recent_weight));
}

std::vector<double> Amygdala::scores(MatrixView input) const {
    Matrix codes, z;
    network_.encode(input, codes);
    network_.scores(codes, z);
    return {z.data(), z.data() + z.rows()};
}

std::vector<double> Amygdala::recent_probability(MatrixView input) const {
    std::vector<double> result = scores(input);
    for (double& v : result) v = nn::logistic(v);
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
