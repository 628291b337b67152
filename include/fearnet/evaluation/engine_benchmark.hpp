// How fast the engine is on this machine, beside what its matrix products alone would allow.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fearnet {

struct TrainingBenchmark {
    int threads = 0;
    std::string backend;            // of the matrix products
    double samples_per_second = 0;  // whole training steps: gather, forward, losses, backward, NAdam
    double gemm_bound = 0;          // samples per second if a step were its matrix products and nothing else
    double of_gemm_bound() const { return gemm_bound > 0 ? samples_per_second / gemm_bound : 0; }
};

// The CIFAR-100 network (2,048 -> 140 -> 130, 50 classes, mirrored decoder, batch 450) on random unit rows.
// The two measurements alternate, `rounds` times each, and the best of each counts.
TrainingBenchmark benchmark_training(int threads, std::size_t rounds = 7);

// The same step, every part in turn: where the time goes, in microseconds per step.
struct StepPart {
    std::string name;
    double microseconds = 0;
};

struct PredictionBenchmark {
    int threads = 0;
    std::size_t recent_bytes = 0;          // HC's examples
    double stream_milliseconds = 0;        // reading recent_bytes once, at this machine's speed
    double row_milliseconds = 0;           // median of predicting one row
    double recent_milliseconds = 0;        // of which: nearest distances in the recent memory
    double consolidated_milliseconds = 0;  // of which: the consolidated network
    double router_milliseconds = 0;        // of which: the router
    double batch_rows_per_second = 0;
};

// 10 classes of 500 rows of 2,048 features in the recent memory, 100 classes in the consolidated one.
PredictionBenchmark benchmark_prediction(int threads, std::size_t repetitions = 200);

}  // namespace fearnet
