// How fast the engine is on this machine, beside what its matrix products or its memory alone would allow.
//
// The functions set the number of threads for their own time and leave it as it was. Keep the machine
// otherwise idle.
#pragma once

#include <cstddef>
#include <string>

namespace fearnet::lab {

struct TrainingBenchmarkOptions {
    int threads = 1;
    std::size_t rounds = 7;    // passes over the rows; the best counts
    std::size_t rows = 25000;  // of 2,048 features
};

struct TrainingBenchmark {
    int threads = 0;
    std::string backend;            // of the matrix products
    double samples_per_second = 0;  // whole training steps: gather, forward, losses, backward, NAdam
    double gemm_bound = 0;  // samples per second if a step were its 14 matrix products and nothing else
    double of_gemm_bound() const { return gemm_bound > 0 ? samples_per_second / gemm_bound : 0; }
};

// Trains the CIFAR-100 network (2,048 -> 140 -> 130, 50 classes, mirrored decoder, batch 450, dropout 0.25,
// decoder at a hundredth of the rate) on random unit rows in shuffled batches. Steps and bare products are
// measured in turn, `rounds` times each, and the best of each counts. Throws Error unless there is a thread,
// a round and a row.
TrainingBenchmark benchmark_training(const TrainingBenchmarkOptions& options = {});

struct PredictionBenchmarkOptions {
    int threads = 1;
    std::size_t repetitions = 200;     // single rows predicted, each another row; the median counts
    std::size_t rounds = 5;            // batches predicted and streams read; the best counts
    std::size_t rows_per_class = 500;  // in the recent memory
    std::size_t batch_rows = 4096;
};

struct PredictionBenchmark {
    int threads = 0;
    std::size_t recent_bytes = 0;          // the recent memory's examples
    double stream_milliseconds = 0;        // reading recent_bytes once, at this machine's speed
    double row_milliseconds = 0;           // predicting one row
    double recent_milliseconds = 0;        // of which: nearest distances in the recent memory
    double consolidated_milliseconds = 0;  // of which: the consolidated network
    double router_milliseconds = 0;        // of which: the router
    double batch_rows_per_second = 0;
};

// Asks a FearNet of the CIFAR-100 shape with 100 consolidated classes and 10 recent ones, all of 2,048
// features. What it answers is meaningless (nothing is trained); what it costs is not. Throws Error unless
// every option is positive.
PredictionBenchmark benchmark_prediction(const PredictionBenchmarkOptions& options = {});

}  // namespace fearnet::lab
