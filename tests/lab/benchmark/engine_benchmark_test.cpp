#include "fearnet/lab/engine_benchmark.hpp"

#include <gtest/gtest.h>

#include "fearnet/error.hpp"
#include "fearnet/threads.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

TEST(EngineBenchmark, training_gives_a_speed_and_a_bound_and_puts_the_threads_back) {
    const int before = max_threads();
    TrainingBenchmarkOptions options;
    options.rounds = 1;
    options.rows = 700;  // a whole batch and a part of one
    const TrainingBenchmark result = benchmark_training(options);
    EXPECT_EQ(result.threads, 1);
    EXPECT_FALSE(result.backend.empty());
    EXPECT_GT(result.samples_per_second, 0);
    EXPECT_GT(result.gemm_bound, 0);
    EXPECT_DOUBLE_EQ(result.of_gemm_bound(), result.samples_per_second / result.gemm_bound);
    EXPECT_EQ(max_threads(), before);
}

TEST(EngineBenchmark, prediction_gives_a_time_for_every_part) {
    PredictionBenchmarkOptions options;
    options.repetitions = 5;
    options.rounds = 1;
    options.rows_per_class = 20;
    options.batch_rows = 64;
    const PredictionBenchmark result = benchmark_prediction(options);
    EXPECT_EQ(result.recent_bytes, 10u * 20 * 2048 * 4);
    EXPECT_GT(result.stream_milliseconds, 0);
    EXPECT_GT(result.row_milliseconds, 0);
    EXPECT_GT(result.recent_milliseconds, 0);
    EXPECT_GT(result.consolidated_milliseconds, 0);
    EXPECT_GT(result.router_milliseconds, 0);
    EXPECT_GT(result.batch_rows_per_second, 0);
}

TEST(EngineBenchmark, nothing_to_measure_is_an_error) {
    TrainingBenchmarkOptions training;
    training.rounds = 0;
    EXPECT_THROW(benchmark_training(training), Error);
    training.rounds = 1;
    training.threads = 0;
    EXPECT_THROW(benchmark_training(training), Error);
    PredictionBenchmarkOptions prediction;
    prediction.batch_rows = 0;
    EXPECT_THROW(benchmark_prediction(prediction), Error);
}

}  // namespace
}  // namespace fearnet
