#include <limits>

#include "core/base/parallel.hpp"
#include "core/learners/fearnet/amygdala.hpp"
#include "core/learners/fearnet/fearnet.hpp"
#include "fearnet/lab/engine_benchmark.hpp"
#include "lab/protocol/stopwatch.hpp"

namespace fearnet::lab {
namespace {

constexpr std::size_t kFeatures = 2048, kConsolidated = 100, kRecent = 10;
constexpr double kMilliseconds = 1e3;

// The parts of a FearNet, to time each of them, and a learner with the same parts.
struct Brain {
    Hippocampus recent;
    PrefrontalCortex consolidated;
    Amygdala router;
    std::unique_ptr<FearNet> learner;
};

std::vector<ClassId> repeated_ids(std::size_t first, std::size_t classes, std::size_t rows_per_class) {
    std::vector<ClassId> ids;
    for (std::size_t i = 0; i < classes * rows_per_class; ++i)
        ids.push_back(static_cast<ClassId>(first + i / rows_per_class));
    return ids;
}

// Nothing is trained: the time of a prediction does not depend on the weights.
Brain make_brain(MatrixView recent_rows, Rng rng) {
    FearNetOptions options;
    options.network.hidden = {140, 130};
    options.training.base_epochs = 0;
    options.amygdala.epochs = 0;
    options.amygdala.standardize = false;
    options.amygdala.held_out = 0;
    constexpr std::size_t kBaseRows = 2;  // per class
    const Matrix base = unit_rows(kConsolidated * kBaseRows, kFeatures, rng.fork(1));
    Brain brain;
    brain.consolidated.fit({base, repeated_ids(0, kConsolidated, kBaseRows)}, options, rng.fork(2), {});
    brain.recent.store({recent_rows, repeated_ids(kConsolidated, kRecent, recent_rows.rows / kRecent)});
    brain.router.fit(brain.recent, brain.consolidated, options, rng.fork(3), {});

    State state = FearNet(options).save();
    brain.consolidated.save(state);
    brain.recent.save(state);
    brain.router.save(state);
    brain.learner = FearNet::load(state);
    return brain;
}

// Reads every number once, in enough independent sums to saturate the memory bandwidth.
float sum_of(const float* data, std::size_t n) {
    constexpr std::size_t kLanes = 64;
    float sums[kLanes] = {};
    for (std::size_t i = 0; i + kLanes <= n; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += data[i + lane];
    float total = 0;
    for (const float s : sums) total += s;
    return total;
}

double stream_seconds(const Matrix& data, int threads, std::size_t rounds) {
    std::vector<float> sums(static_cast<std::size_t>(threads));
    double best = std::numeric_limits<double>::infinity();
    volatile float sink = 0;  // so that the compiler does not remove the sums
    for (std::size_t round = 0; round < rounds; ++round) {
        best = std::min(best, seconds_of([&] {
                            parallel_blocks(data.rows(), sums.size(),
                                            [&](std::size_t b, std::size_t begin, std::size_t end) {
                                                sums[b] =
                                                    sum_of(data.row(begin), (end - begin) * data.cols());
                                            });
                        }));
        for (const float s : sums) sink = sink + s;
    }
    return best;
}

// Median over the rows, each predicted once.
template <class F>
double median_milliseconds(MatrixView rows, const F& ask) {
    std::vector<double> times;
    for (std::size_t i = 0; i < rows.rows; ++i)
        times.push_back(kMilliseconds * seconds_of([&] { ask(rows.slice(i, 1)); }));
    return median(std::move(times));
}

}  // namespace

PredictionBenchmark benchmark_prediction(const PredictionBenchmarkOptions& options) {
    require_positive("benchmark_prediction", "repetitions", options.repetitions);
    require_positive("benchmark_prediction", "rounds", options.rounds);
    require_positive("benchmark_prediction", "rows_per_class", options.rows_per_class);
    require_positive("benchmark_prediction", "batch_rows", options.batch_rows);
    const ThreadsForNow threads(options.threads);
    const Rng rng(1);
    const Matrix recent = unit_rows(kRecent * options.rows_per_class, kFeatures, rng.fork(1));
    const Brain brain = make_brain(recent, rng.fork(2));
    const Matrix queries = unit_rows(options.repetitions, kFeatures, rng.fork(3));

    PredictionBenchmark result;
    result.threads = options.threads;
    result.recent_bytes = recent.bytes();
    result.stream_milliseconds = kMilliseconds * stream_seconds(recent, options.threads, options.rounds);
    result.row_milliseconds =
        median_milliseconds(queries, [&](MatrixView row) { brain.learner->predict(row); });
    result.recent_milliseconds =
        median_milliseconds(queries, [&](MatrixView row) { brain.recent.distances(row); });
    Matrix codes, probabilities;
    result.consolidated_milliseconds = median_milliseconds(queries, [&](MatrixView row) {
        brain.consolidated.encode(row, codes);
        brain.consolidated.probabilities_of_codes(codes, probabilities);
    });
    result.router_milliseconds = median_milliseconds(queries, [&](MatrixView row) {
        brain.router.recent_probability(brain.router.sees_codes() ? MatrixView(codes) : row);
    });

    const Matrix batch = unit_rows(options.batch_rows, kFeatures, rng.fork(4));
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t round = 0; round < options.rounds; ++round)
        best = std::min(best, seconds_of([&] { brain.learner->predict(batch); }));
    result.batch_rows_per_second = static_cast<double>(options.batch_rows) / best;
    return result;
}

}  // namespace fearnet::lab
