// Our half of train_vs_torch.sh: one line of JSON with the speed of a training step and of its bare matrix
// products.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "fearnet/error.hpp"
#include "fearnet/lab/engine_benchmark.hpp"

int main(int argc, char** argv) {
    fearnet::lab::TrainingBenchmarkOptions options;
    CLI::App program("Speed of a training step of the CIFAR-100 network");
    program.add_option("--threads", options.threads, "Threads")->capture_default_str();
    program.add_option("--rounds", options.rounds, "Passes over the rows; the best counts")
        ->capture_default_str();
    program.add_option("--rows", options.rows, "Rows")->capture_default_str();
    CLI11_PARSE(program, argc, argv);
    try {
        const fearnet::lab::TrainingBenchmark b = fearnet::lab::benchmark_training(options);
        const nlohmann::ordered_json result{{"threads", b.threads},
                                            {"samples_per_second", b.samples_per_second},
                                            {"gemm_bound", b.gemm_bound},
                                            {"backend", b.backend}};
        fmt::print("{}\n", result.dump());
    } catch (const fearnet::Error& error) {
        fmt::print(stderr, "fearnet_bench_train: {}\n", error.what());
        return 2;
    }
    return 0;
}
