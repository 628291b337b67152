// Seconds of GeppNet's training interval for one new class, on one thread; see benchmarks/README.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <vector>

#include "fearnet/data/feature_set.hpp"
#include "fearnet/lab/learners.hpp"
#include "fearnet/threads.hpp"
#include "lab/baselines/geppnet.hpp"

namespace fearnet::bench {

using namespace fearnet::lab;
namespace {

constexpr double kLimit = 20;  // seconds

struct Arguments {
    std::int64_t side = 30;
    std::size_t features = 2048;
    std::int64_t iterations = 20000;
    std::size_t plain_steps = 200;
    int rounds = 3;
};

constexpr std::size_t kClasses = 50, kRows = 100;

Examples random_classes(std::size_t first, std::size_t classes, std::size_t features, Rng& rng) {
    Examples e;
    e.x = Matrix(classes * kRows, features);
    Matrix center(1, features);
    for (std::size_t c = 0; c < classes; ++c) {
        rng.fill_normal({center.data(), features});
        for (std::size_t r = 0; r < kRows; ++r) {
            float* row = e.x.row(c * kRows + r);
            rng.fill_normal({row, features});
            for (std::size_t j = 0; j < features; ++j) row[j] = 0.5f * row[j] + center(0, j);
            e.labels.push_back(static_cast<ClassId>(first + c));
        }
    }
    scale_rows_to_unit_length(e.x);
    return e;
}

// By the clock, and of the processor: on a busy machine they differ.
struct Seconds {
    double wall = 0;
    double cpu = 0;
};

template <class Work>
Seconds seconds_of(const Work& work) {
    const std::clock_t cpu = std::clock();
    const auto start = std::chrono::steady_clock::now();
    work();
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
            static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC};
}

// The fastest of some rounds: what else runs on the machine only adds.
Seconds interval_seconds(const Arguments& a, const Examples& base, const Examples& fresh, double threshold) {
    Seconds best{1e300, 1e300};
    for (int round = 0; round < a.rounds; ++round) {
        GeppNetOptions options;
        options.map.side = a.side;
        options.map.base_iterations = options.readout.base_iterations = 2000;
        options.incremental.iterations = a.iterations;
        options.incremental.novelty_threshold = threshold;
        GeppNet learner(options);
        learner.learn(base);
        const Seconds seconds = seconds_of([&] { learner.learn(fresh); });
        if (seconds.wall < best.wall) best = seconds;
    }
    return best;
}

// Plain loops: a pass over the map to find the nearest unit, another to move.
Seconds plain_seconds(const Arguments& a, const Examples& base) {
    Rng rng(1);
    SelfOrganizingMap map(static_cast<std::size_t>(a.side), base.x, rng);
    const GeppNetOptions options;
    const Seconds seconds = seconds_of([&] {
        for (std::size_t i = 0; i < a.plain_steps; ++i)
            map.move_reference(base.x.row(rng.below(base.x.rows())), options.map.rate, options.map.radius);
    });
    const double times = static_cast<double>(a.iterations) / static_cast<double>(a.plain_steps);
    return {seconds.wall * times, seconds.cpu * times};
}

void run(const Arguments& a) {
    set_threads(1);
    Rng rng(7);
    const Examples base = random_classes(0, kClasses, a.features, rng);
    const Examples fresh = random_classes(kClasses, 1, a.features, rng);
    fmt::print("{} single-sample iterations, {} x {} map, {} features, one thread; best of {}\n\n",
               a.iterations, a.side, a.side, a.features, a.rounds);
    const Seconds all = interval_seconds(a, base, fresh, 10);
    const Seconds novel = interval_seconds(a, base, fresh, GeppNetOptions().incremental.novelty_threshold);
    const Seconds plain = plain_seconds(a, base);
    const auto row = [](const char* what, const Seconds& s) {
        fmt::print("{:<48} {:>8.2f} {:>12.2f}\n", what, s.wall, s.cpu);
    };
    fmt::print("{:<48} {:>8} {:>12}\n", "", "seconds", "cpu seconds");
    row("new class, the map moves in every iteration", all);
    row("new class, the map moves for novel rows", novel);
    row("plain loops, map alone (extrapolated)", plain);
    fmt::print("\nlimit {:.0f} seconds: {}\n", kLimit, all.wall <= kLimit ? "kept" : "EXCEEDED");
    const auto rounded = [](double s) { return std::round(s * 100) / 100; };
    fmt::print("{}\n", nlohmann::ordered_json{{"iterations", a.iterations},
                                              {"limit_seconds", kLimit},
                                              {"seconds", rounded(all.wall)},
                                              {"cpu_seconds", rounded(all.cpu)},
                                              {"novel_seconds", rounded(novel.wall)},
                                              {"plain_map_seconds", rounded(plain.wall)}}
                           .dump());
}

}  // namespace
}  // namespace fearnet::bench

int main(int argc, char** argv) {
    fearnet::lab::register_learners();
    fearnet::bench::Arguments a;
    CLI::App program("Seconds of GeppNet's training interval for one new class, on one thread");
    program.add_option("--side", a.side, "N: the map has N x N units")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
    program.add_option("--features", a.features, "Features of a row")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    program.add_option("--iterations", a.iterations, "Single-sample iterations")
        ->capture_default_str()
        ->check(CLI::Range(1, 100000000));
    program.add_option("--rounds", a.rounds, "Number of rounds; the best one counts")
        ->capture_default_str()
        ->check(CLI::Range(1, 100));
    CLI11_PARSE(program, argc, argv);
    try {
        fearnet::bench::run(a);
    } catch (const fearnet::Error& error) {
        fmt::print(stderr, "fearnet_bench_geppnet: {}\n", error.what());
        return 2;
    }
    return 0;
}
