#include "learners/fearnet/consolidation.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "learners/fearnet/replay.hpp"
#include "learners/fearnet/training.hpp"

namespace fearnet {
namespace {

// Column of each class of the recent memory; classes that are new get columns at the end.
std::vector<std::size_t> assign_columns(const Hippocampus& recent, std::vector<ClassId>& classes) {
    std::vector<std::size_t> columns;
    for (const Hippocampus::ClassExamples& c : recent.contents()) {
        const auto it = std::find(classes.begin(), classes.end(), c.id);
        columns.push_back(static_cast<std::size_t>(it - classes.begin()));
        if (it == classes.end()) classes.push_back(c.id);
    }
    return columns;
}

// A pseudo-example's target: its class, softened by what the old network says of it. New classes get nothing.
void soft_target(std::size_t column, double share, MatrixView old_answer, std::size_t row, float* out,
                 std::size_t outputs) {
    std::fill_n(out, outputs, 0.0f);
    for (std::size_t j = 0; j < old_answer.cols; ++j) out[j] = static_cast<float>(share) * old_answer(row, j);
    out[column] += static_cast<float>(1 - share);
}

void fine_tune(nn::Network& network, const nn::Network& old, Replay& replay,
               const std::vector<std::size_t>& column_of_recent, const FearNetOptions& options, Rng rng,
               const Progress& progress) {
    const std::size_t batch = std::min(static_cast<std::size_t>(options.training.batch), replay.size());
    const std::size_t epochs =
        epochs_for(options.sleep.epochs, options.sleep.min_steps, replay.size(), batch);
    const double share = options.sleep.soft_targets;
    nn::TrainerOptions training = trainer_options(options, options.sleep.decoder_rate);
    training.anchor = options.sleep.code_anchor;
    nn::Trainer trainer(network, training, batch, rng.fork(1));
    Rng shuffler = rng.fork(2);
    std::vector<std::size_t> order(replay.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Matrix x(batch, replay.width()), soft(batch, network.outputs()), codes, answers;
    std::vector<Replay::Origin> origins(batch);
    std::vector<std::int32_t> labels(batch);
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
        shuffler.shuffle<std::size_t>(order);
        trainer.set_rate_share(rate_share(options.sleep.decay, epoch, epochs));
        double loss = 0;
        for (std::size_t first = 0; first < order.size(); first += batch) {
            const std::size_t n = std::min(batch, order.size() - first);
            const MutableMatrixView rows(x.data(), n, x.cols());
            replay.fill({order.data() + first, n}, epoch, rows, {origins.data(), n});
            if (share > 0) {
                old.encode(rows, codes);
                old.probabilities(codes, answers);
            }
            for (std::size_t i = 0; i < n; ++i) {
                const Replay::Origin& o = origins[i];
                const bool softened = !o.real && share > 0;
                labels[i] =
                    softened ? -1 : static_cast<std::int32_t>(o.real ? column_of_recent[o.index] : o.index);
                if (softened) soft_target(o.index, share, answers, i, soft.row(i), network.outputs());
            }
            loss += trainer.step(rows, {labels.data(), n}, soft, codes).total() * static_cast<double>(n);
        }
        report(progress, {"sleep", epoch + 1, epochs, loss / static_cast<double>(order.size())}, "sleep");
    }
}

// What a class's statistics are made from after sleep.
struct Refreshed {
    Matrix codes, residual;
};

// Dropout off: a new class's from the recent memory, an old one's from pseudo-examples, those of a class that
// is in both from both.
Refreshed refresh(std::size_t column, const PrefrontalCortex& before, const nn::Network& network,
                  const Matrix* stored, Replay& replay, const StatisticsOptions& options) {
    Matrix codes, residual, rows, decoded;
    if (column < before.classes().size()) {
        const std::size_t samples = options.refresh_samples > 0
                                        ? static_cast<std::size_t>(options.refresh_samples)
                                        : replay.pseudo_per_class();
        replay.pseudo_examples(column, samples, rows);
        network.encode(rows, codes);
        network.decode(codes, decoded);
        if (options.refresh == Refresh::drift) {
            // The sampled codes are what the class was; an encoder that had not moved would leave them where
            // they are, where re-encoding would shrink them a little in every sleep.
            Matrix old_codes, old_decoded;
            before.network().encode(rows, old_codes);
            before.network().decode(old_codes, old_decoded);
            for (std::size_t i = 0; i < codes.size(); ++i)
                codes.data()[i] += replay.drawn_codes().data()[i] - old_codes.data()[i];
            residual = mean_difference(old_decoded, decoded);
            const Matrix& old = before.statistics()[column].residual;
            for (std::size_t j = 0; j < old.cols(); ++j) residual(0, j) += old(0, j);
        } else {
            residual = mean_difference(rows, decoded);
        }
    }
    if (stored) {
        Matrix recent_codes;
        network.encode(*stored, recent_codes);
        network.decode(recent_codes, decoded);
        const Matrix recent_residual = mean_difference(*stored, decoded);
        if (codes.empty()) {
            codes = std::move(recent_codes);
            residual = recent_residual;
        } else {
            const std::size_t first = codes.rows();
            const float share =
                static_cast<float>(stored->rows()) / static_cast<float>(first + stored->rows());
            codes.resize_rows(first + stored->rows());
            std::copy_n(recent_codes.data(), recent_codes.size(), codes.row(first));
            for (std::size_t j = 0; j < residual.cols(); ++j)
                residual(0, j) += share * (recent_residual(0, j) - residual(0, j));
        }
    }
    return {std::move(codes), std::move(residual)};
}

}  // namespace

PrefrontalCortex consolidate(const PrefrontalCortex& before, const Hippocampus& recent,
                             const FearNetOptions& options, Rng rng, const Progress& progress) {
    std::vector<ClassId> classes = before.classes();
    const std::vector<std::size_t> columns = assign_columns(recent, classes);
    nn::Network network = before.network();
    Rng grower = rng.fork(1);
    nn::grow_outputs(network.head, classes.size(), static_cast<float>(options.network.bias), grower);

    ReplayOptions mixture;
    mixture.borrow_residuals = options.sleep.borrow_residuals;
    mixture.fresh = options.sleep.fresh;
    mixture.min_pseudo_examples = static_cast<std::size_t>(options.sleep.min_pseudo_examples);
    Replay replay(recent, before, mixture, rng.fork(2));
    fine_tune(network, before.network(), replay, columns, options, rng.fork(3), progress);

    // A few classes at a time: their eigen decompositions, which take longest, run side by side.
    constexpr std::size_t kAtOnce = 8;
    std::vector<ClassStatistics> statistics(classes.size());
    std::vector<Refreshed> made(kAtOnce);
    for (std::size_t first = 0; first < classes.size(); first += kAtOnce) {
        const std::size_t n = std::min(kAtOnce, classes.size() - first);
        for (std::size_t i = 0; i < n; ++i) {
            const auto held = std::find(columns.begin(), columns.end(), first + i);
            const Matrix* stored =
                held == columns.end()
                    ? nullptr
                    : &recent.contents()[static_cast<std::size_t>(held - columns.begin())].rows;
            made[i] = refresh(first + i, before, network, stored, replay, options.statistics);
        }
        parallel_blocks(n, n, [&](std::size_t i, std::size_t, std::size_t) {
            statistics[first + i] =
                class_statistics(made[i].codes, std::move(made[i].residual), options.statistics);
        });
        report(progress, {"statistics", first + n, classes.size(), 0}, "sleep");
    }
    return {std::move(network), std::move(classes), std::move(statistics)};
}

}  // namespace fearnet
