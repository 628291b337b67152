#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "commands.hpp"
#include "fearnet/lab/engine_benchmark.hpp"
#include "fearnet/threads.hpp"
#include "common/json.hpp"
#include "research/lab.hpp"
#include "research/machine.hpp"
#include "research/run_arguments.hpp"

namespace fearnet::cli {
namespace {

using apps::Json;

constexpr const char* kFooter =
    R"(Measures, with one thread and with N threads, the training of the CIFAR-100 network and the prediction of a FearNet
with 100 consolidated classes and 10 recent classes of 500 rows. Takes about a minute. Keep the machine otherwise idle.

In the output, gemm_bound is the training speed if a step consisted of its matrix products only. row_ms is the median
time to predict a single row, and recent_ms, consolidated_ms and router_ms are its three parts. stream_ms is the time to
read the bytes of the recent memory once.

Examples:
  fearnet bench
  fearnet bench --threads 4 --json > speed.json
  fearnet bench --quick)";

struct BenchArguments {
    std::string threads = "all";
    bool quick = false;
    bool one_line = false;
};

double rounded(double value, double unit) {
    return std::round(value / unit) * unit;
}

Json training(int threads, bool quick, std::string& backend) {
    TrainingBenchmarkOptions options;
    options.threads = threads;
    if (quick) options.rounds = 2, options.rows = 4500;
    const TrainingBenchmark b = benchmark_training(options);
    backend = b.backend;
    return {{"samples_per_second", std::round(b.samples_per_second)},
            {"gemm_bound", std::round(b.gemm_bound)},
            {"of_gemm_bound", rounded(b.of_gemm_bound(), 1e-3)}};
}

Json prediction(int threads, bool quick) {
    PredictionBenchmarkOptions options;
    options.threads = threads;
    if (quick) options.repetitions = 30, options.rounds = 1, options.batch_rows = 1024;
    const PredictionBenchmark b = benchmark_prediction(options);
    constexpr double kMicrosecond = 1e-3;
    return {{"row_ms", rounded(b.row_milliseconds, kMicrosecond)},
            {"recent_ms", rounded(b.recent_milliseconds, kMicrosecond)},
            {"consolidated_ms", rounded(b.consolidated_milliseconds, kMicrosecond)},
            {"router_ms", rounded(b.router_milliseconds, kMicrosecond)},
            {"stream_ms", rounded(b.stream_milliseconds, kMicrosecond)},
            {"recent_bytes", b.recent_bytes},
            {"batch_rows_per_second", std::round(b.batch_rows_per_second)}};
}

int bench(const BenchArguments& a) {
    std::vector<int> counts{1};
    const int most = parse_threads(a.threads).value_or(max_threads());
    if (most > 1) counts.push_back(most);
    std::string backend;
    Json runs = Json::array();
    for (const int threads : counts) {
        fmt::print(stderr, "Measuring with {} thread{}\n", threads, threads == 1 ? "" : "s");
        runs.push_back({{"threads", threads},
                        {"training", training(threads, a.quick, backend)},
                        {"prediction", prediction(threads, a.quick)}});
    }
    const Json result{{"version", version()}, {"date", utc_now()}, {"cpu", cpu_name()},
                      {"backend", backend},   {"quick", a.quick},  {"runs", std::move(runs)}};
    fmt::print("{}\n", result.dump(a.one_line ? -1 : 2));
    return kDone;
}

}  // namespace

void add_bench_command(Program& program) {
    const auto a = std::make_shared<BenchArguments>();
    Command& command =
        program.add_command("bench", "Measure the speed of training and prediction, as JSON", kMoreGroup);
    command.footer(kFooter);
    command
        .option("--threads", a->threads,
                "Number of threads N of the second measurement; all: one per processor")
        .value_name("N")
        .show_default();
    command.flag("--json", a->one_line, "Print the JSON on one line");
    command.flag("--quick", a->quick, "Measure for seconds instead of a minute; less precise");
    command.run([a] { return bench(*a); });
}

}  // namespace fearnet::cli
