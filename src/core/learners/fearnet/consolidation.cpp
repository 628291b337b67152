#include "core/learners/fearnet/consolidation.hpp"

#include <algorithm>
#include <numeric>

#include "core/learners/fearnet/replay.hpp"
#include "core/learners/fearnet/statistics_refresh.hpp"
#include "core/learners/fearnet/training.hpp"

namespace fearnet {
namespace {

// Column of each class of the recent memory; new classes get columns at the end.
std::vector<std::size_t> assign_columns(const Hippocampus& recent, std::vector<ClassId>& classes) {
    std::vector<std::size_t> columns;
    for (const Hippocampus::ClassExamples& c : recent.contents()) {
        const auto it = std::find(classes.begin(), classes.end(), c.id);
        columns.push_back(static_cast<std::size_t>(it - classes.begin()));
        if (it == classes.end()) classes.push_back(c.id);
    }
    return columns;
}

// Target of a pseudo-example: its one-hot label mixed with the old network's output. New classes have target
// 0.
void soft_target(std::size_t column, double share, MatrixView old_answer, std::size_t row, float* out,
                 std::size_t outputs) {
    std::fill_n(out, outputs, 0.0f);
    for (std::size_t j = 0; j < old_answer.cols; ++j) out[j] = static_cast<float>(share) * old_answer(row, j);
    out[column] += static_cast<float>(1 - share);
}

void fine_tune(nn::Network& network, const nn::Network& old, Replay& replay,
               const std::vector<std::size_t>& column_of_recent, const FearNetOptions& options, Rng rng,
               const Progress& progress, const TimeLimit& limit) {
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
    Pace pace(options.sleep.decay, epochs, (replay.size() + batch - 1) / batch, limit);
    for (std::size_t epoch = 0; epoch < epochs && !pace.over(); ++epoch) {
        shuffler.shuffle<std::size_t>(order);
        double loss = 0;
        std::size_t seen = 0;
        for (std::size_t first = 0; first < order.size() && !pace.over(); first += batch) {
            const std::size_t n = std::min(batch, order.size() - first);
            trainer.set_rate_share(pace.rate_share());
            const MutableMatrixView rows(x.data(), n, x.cols());
            const std::span<const std::size_t> left = std::span(order).subspan(first);
            replay.fill(left.first(n), epoch, rows, {origins.data(), n}, left.subspan(n));
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
            seen += n;
            pace.finish_step();
        }
        report(progress, {"sleep", pace.epochs_done(), epochs, loss / static_cast<double>(seen)}, "sleep");
    }
}

}  // namespace

PrefrontalCortex consolidate(const PrefrontalCortex& before, const Hippocampus& recent,
                             const FearNetOptions& options, Rng rng, const Progress& progress,
                             const TimeLimit& limit) {
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
    StatisticsRefresh refresh(before, recent, columns, classes.size(), replay, options, network);
    const double reserved = limit.limited() ? refresh.estimate(network, limit) : 0;
    fine_tune(network, before.network(), replay, columns, options, rng.fork(3), progress,
              limit.sooner(reserved));
    std::vector<ClassStatistics> statistics = refresh.run(network, progress);
    return {std::move(network), std::move(classes), std::move(statistics)};
}

}  // namespace fearnet
