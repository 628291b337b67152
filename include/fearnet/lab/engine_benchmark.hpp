// Benchmarks of training and prediction, with the bounds set by matrix products and by memory bandwidth.
//
// The functions set the number of threads while they run and restore it afterwards. Keep the machine
// otherwise idle. Times are wall-clock times.
#pragma once

#include <cstddef>
#include <string>

namespace fearnet::lab {

struct TrainingBenchmarkOptions {
    int threads = 1;
    std::size_t rounds = 7;    // epochs; the fastest counts
    std::size_t rows = 25000;  // training rows, of 2,048 features
};

struct TrainingBenchmark {
    int threads = 0;
    std::string backend;            // library of the matrix products
    double samples_per_second = 0;  // complete training steps: gather, forward, losses, backward, NAdam
    double gemm_bound = 0;          // samples per second of the 14 matrix products of a step alone
    double of_gemm_bound() const { return gemm_bound > 0 ? samples_per_second / gemm_bound : 0; }
};

// Trains the paper's CIFAR-100 network (2,048 -> 140 -> 130, 50 classes, mirrored decoder, batch size 450,
// dropout 0.25, decoder at 0.01 of the learning rate) on random rows of length one in shuffled batches.
// Training epochs and the same number of bare matrix products are timed alternately; the fastest round of
// each counts. Throws Error unless threads, rounds and rows are at least 1.
TrainingBenchmark benchmark_training(const TrainingBenchmarkOptions& options = {});

struct PredictionBenchmarkOptions {
    int threads = 1;
    std::size_t repetitions = 200;  // different single rows to predict; the median time counts
    std::size_t rounds = 5;         // repetitions of the batch and of reading the memory; the fastest counts
    std::size_t rows_per_class = 500;  // of the recent classes
    std::size_t batch_rows = 4096;     // rows of the batch
};

struct PredictionBenchmark {
    int threads = 0;
    std::size_t recent_bytes = 0;          // size of the examples in the recent memory
    double stream_milliseconds = 0;        // reading recent_bytes once: the bound set by memory bandwidth
    double row_milliseconds = 0;           // predicting one row
    double recent_milliseconds = 0;        // the nearest-neighbor search in the recent memory alone
    double consolidated_milliseconds = 0;  // the consolidated network alone
    double router_milliseconds = 0;        // the router alone
    double batch_rows_per_second = 0;      // predicting the batch
};

// Predicts with a "fearnet" of the paper's CIFAR-100 layers, 100 consolidated and 10 recent classes, and
// 2,048 features. The networks are untrained: their predictions are meaningless, but take as long as those of
// trained ones. Throws Error unless every option is positive.
PredictionBenchmark benchmark_prediction(const PredictionBenchmarkOptions& options = {});

}  // namespace fearnet::lab
