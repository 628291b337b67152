// What the base session, teaching a class, sleep and answering a row cost FearNet plus and LDA, and what they
// keep; see benchmarks/README.md.
#include "closed_form.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "fearnet/data/feature_set.hpp"
#include "fearnet/lab/learners.hpp"
#include "fearnet/plus_options.hpp"
#include "fearnet/registry.hpp"
#include "fearnet/rng.hpp"
#include "fearnet/threads.hpp"

namespace fearnet::bench {

Examples random_classes(std::size_t first, std::size_t classes, std::size_t rows, std::size_t features,
                        float distance) {
    Examples e;
    e.x = Matrix(classes * rows, features);
    std::vector<float> scale(features);
    for (std::size_t j = 0; j < features; ++j) scale[j] = std::pow(1 + 0.1f * static_cast<float>(j), -0.65f);
    for (std::size_t c = 0; c < classes; ++c) {
        Rng rng(first + c + 1);
        Matrix center(1, features);
        rng.fill_normal({center.data(), features});
        for (std::size_t r = 0; r < rows; ++r) {
            float* row = e.x.row(c * rows + r);
            rng.fill_normal({row, features});
            for (std::size_t j = 0; j < features; ++j)
                row[j] = scale[j] * std::abs(1.5f + 0.7f * row[j] + distance * center(0, j));
            e.labels.push_back(static_cast<ClassId>(first + c));
        }
    }
    scale_rows_to_unit_length(e.x);
    return e;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

namespace {

constexpr double kTeachLimit = 100, kRowLimit = 0.3;  // milliseconds
constexpr double kMemoryLimit = 40;                   // MB for 1,000 classes

struct Arguments {
    std::size_t classes = 100;
    std::size_t many = 1000;
    std::size_t features = 2048;
    std::size_t rows = 500;
    int rounds = 10;
    int threads = 0;
    bool scale = false;
    bool growth = false;
};

constexpr std::size_t kBaseRows = 40;

// The most memory that the process has used so far.
double peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1e3;
}

double megabytes(const Learner& learner) {
    double sum = 0;
    for (const auto& [kind, bytes] : learner.memory()) sum += static_cast<double>(bytes) / 1e6;
    return sum;
}

struct Cost {
    // Milliseconds: a class, one row alone, one of 1,000 rows; the last two also with familiarity.
    double teach = 0, row = 0, batch = 0, familiar_row = 0, familiar_batch = 0;
    double memory = 0, memory_many = 0;    // MB after sleep
};

// The settings are those that a base session of CIFAR-100 chooses: choosing them is not part of teaching a
// class.
std::unique_ptr<Learner> made(const std::string& name) {
    LearnerSpec spec;
    spec.learner = name;
    if (name == "fearnet-plus")
        spec.settings = {
            {"features.transform", "sqrt"}, {"readout.ridge", "0.1"}, {"covariance.strength", "0.1"}};
    return make_learner(spec);
}

Cost cost_of(const std::string& name, const Arguments& a) {
    Cost cost;
    const std::unique_ptr<Learner> learner = made(name);
    learner->learn(random_classes(0, a.classes, kBaseRows, a.features));
    cost.memory = megabytes(*learner);
    std::vector<double> teach, row, batch, familiar_row, familiar_batch;
    const Examples probe = random_classes(0, 10, 100, a.features);
    for (std::size_t i = 0; i < 300; ++i) {
        const MatrixView one = probe.x.view().slice(i, 1);
        row.push_back(milliseconds([&] { learner->scores(one); }));
        familiar_row.push_back(milliseconds([&] { learner->scored(one); }));
    }
    cost.row = median(row), cost.familiar_row = median(familiar_row);
    const auto each = static_cast<double>(probe.size());
    for (int round = 0; round < a.rounds; ++round) {
        batch.push_back(milliseconds([&] { learner->scores(probe.x); }) / each);
        familiar_batch.push_back(milliseconds([&] { learner->scored(probe.x); }) / each);
    }
    cost.batch = median(batch), cost.familiar_batch = median(familiar_batch);
    for (int round = 0; round < a.rounds; ++round) {
        const Examples fresh =
            random_classes(a.classes + static_cast<std::size_t>(round), 1, a.rows, a.features);
        teach.push_back(milliseconds([&] { learner->learn(fresh); }));
    }
    cost.teach = median(teach);
    if (a.many > a.classes) {
        const std::unique_ptr<Learner> large = made(name);
        large->learn(random_classes(0, a.many, kBaseRows, a.features));
        cost.memory_many = megabytes(*large);
    }
    return cost;
}

double seconds_of_base(const std::string& name, const Examples& rows) {
    LearnerSpec spec;
    spec.learner = name;
    const std::unique_ptr<Learner> learner = make_learner(spec);
    return 1e-3 * milliseconds([&] { learner->learn(rows); });
}

struct Shape {
    const char* name;
    std::size_t classes, rows, features;
};

// A base session with all settings left to FearNet plus. Where it tries random features, LDA on as many
// features is part of what it is compared with.
double base_ratio(const Shape& s) {
    const auto random = static_cast<std::size_t>(PlusOptions().random_features);
    const Examples rows = random_classes(0, s.classes, s.rows, s.features, hard_distance(s.features));
    const double plus = seconds_of_base("fearnet-plus", rows);
    double lda = seconds_of_base("streaming-lda", rows);
    if (3 * s.features <= random)
        lda += seconds_of_base("streaming-lda",
                               random_classes(0, s.classes, s.rows, random, hard_distance(random)));
    fmt::print("{:<20} {:>14.2f} {:>10.2f} {:>8.1f}\n", s.name, plus, lda, plus / lda);
    return plus / lda;
}

nlohmann::ordered_json base_ratios() {
    constexpr Shape kShapes[] = {{"100 x 30 x 2048", 100, 30, 2048}, {"50 x 500 x 2048", 50, 500, 2048},
                                 {"50 x 80 x 1280", 50, 80, 1280},   {"75 x 100 x 512", 75, 100, 512},
                                 {"60 x 30 x 392", 60, 30, 392},     {"14 x 10 x 644", 14, 10, 644}};
    fmt::print("\n{:<20} {:>14} {:>10} {:>8}\n", "base session", "fearnet-plus, s", "LDA, s", "ratio");
    nlohmann::ordered_json json;
    for (const Shape& s : kShapes) json[s.name] = base_ratio(s);
    return json;
}

// `classes` of 20 x 512 in one session after a base of two, then sleep and 1,000 questions.
nlohmann::ordered_json many_classes(std::size_t classes) {
    constexpr std::size_t kRows = 20, kFeatures = 512;
    LearnerSpec spec;
    spec.learner = "fearnet-plus";
    const std::unique_ptr<Learner> learner = make_learner(spec);
    learner->learn(random_classes(0, 2, kRows, kFeatures));
    const Examples more = random_classes(2, classes - 2, kRows, kFeatures);
    const double before = peak_megabytes(), teach = 1e-3 * milliseconds([&] { learner->learn(more); }),
                 peak = peak_megabytes() - before;
    const double sleep = 1e-3 * milliseconds([&] { learner->sleep(); });
    const double row = milliseconds([&] { learner->predict(more.x.view().slice(0, 1000)); }) / 1000;
    fmt::print(
        "{} classes of {} x {}: teach {:.1f} s (peak memory + {:.0f} MB), sleep {:.1f} s, a row of 1000 "
        "{:.3f} "
        "ms, {:.1f} MB\n",
        classes, kRows, kFeatures, teach, peak, sleep, row, megabytes(*learner));
    return {{"teach_s", teach},
            {"teach_peak_mb", peak},
            {"sleep_s", sleep},
            {"batch_row_ms", row},
            {"mb", megabytes(*learner)}};
}

void run(const Arguments& a) {
    if (a.threads > 0) set_threads(a.threads);
    if (a.growth) return growth({100, 1000, 10000});
    fmt::print("{} classes, {} features, {} threads; teaching a class of {} rows, median of {}\n\n",
               a.classes, a.features, max_threads(), a.rows, a.rounds);
    fmt::print("{:<16} {:>10} {:>12} {:>16} {:>10} {:>14}   and with familiarity: one row, row of 1000\n", "",
               "teach, ms", "one row, ms", "row of 1000, ms", "MB", fmt::format("MB at {}", a.many));
    nlohmann::ordered_json json{{"classes", a.classes}, {"threads", max_threads()}};
    Cost plus;
    for (const char* name : {"fearnet-plus", "streaming-lda"}) {
        const Cost c = cost_of(name, a);
        if (name == std::string("fearnet-plus")) plus = c;
        fmt::print("{:<16} {:>10.1f} {:>12.3f} {:>16.4f} {:>10.1f} {:>14.1f} {:>34.3f} {:>13.4f}\n", name,
                   c.teach, c.row, c.batch, c.memory, c.memory_many, c.familiar_row, c.familiar_batch);
        json[name] = {{"teach_ms", c.teach},
                      {"row_ms", c.row},
                      {"batch_row_ms", c.batch},
                      {"row_with_familiarity_ms", c.familiar_row},
                      {"batch_row_with_familiarity_ms", c.familiar_batch},
                      {"mb", c.memory},
                      {"mb_many", c.memory_many}};
    }
    const auto verdict = [](bool kept) { return kept ? "kept" : "EXCEEDED"; };
    fmt::print(
        "\nlimits of fearnet-plus: teach {:.0f} ms {}, row {:.1f} ms {}, {:.0f} MB at 1,000 classes {}\n",
        kTeachLimit, verdict(plus.teach < kTeachLimit), kRowLimit, verdict(plus.row < kRowLimit),
        kMemoryLimit, verdict(plus.memory_many <= kMemoryLimit));
    if (a.scale) {
        json["teach_ratio"] =
            json["fearnet-plus"]["teach_ms"].get<double>() / json["streaming-lda"]["teach_ms"].get<double>();
        json["base_ratio"] = base_ratios();
        fmt::print("\n");
        json["sleep_2000_s"] = many_classes(2000)["sleep_s"];
        json["classes_10000"] = many_classes(10000);
        json["classes_10000"]["base_ratio"] = base_ratio({"10000 x 20 x 512", 10000, 20, 512});
    }
    fmt::print("{}\n", json.dump());
}

}  // namespace
}  // namespace fearnet::bench

int main(int argc, char** argv) {
    fearnet::lab::register_learners();
    fearnet::bench::Arguments a;
    CLI::App program("What teaching a class and answering a row cost FearNet plus and LDA");
    program.add_option("--classes", a.classes, "Classes known before")
        ->capture_default_str()
        ->check(CLI::Range(2, 100000));
    program
        .add_option("--many", a.many, "Classes of the second look at memory; not more than --classes: none")
        ->capture_default_str()
        ->check(CLI::Range(0, 100000));
    program.add_option("--features", a.features, "Features of a row")
        ->capture_default_str()
        ->check(CLI::Range(1, 100000));
    program.add_option("--rows", a.rows, "Rows of the class that is taught")
        ->capture_default_str()
        ->check(CLI::Range(1, 100000));
    program.add_option("--rounds", a.rounds, "Classes taught")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
    program.add_option("--threads", a.threads, "0: all")->capture_default_str()->check(CLI::Range(0, 1024));
    CLI::Option* scale =
        program.add_flag("--scale", a.scale, "Base sessions of several sizes, and 2,000 and 10,000 classes");
    program.add_flag("--growth", a.growth, "Only the costs with 100, 1,000 and 10,000 classes of 20 x 512")
        ->excludes(scale);
    CLI11_PARSE(program, argc, argv);
    try {
        fearnet::bench::run(a);
    } catch (const fearnet::Error& error) {
        fmt::print(stderr, "fearnet_bench_closed_form: {}\n", error.what());
        return 2;
    }
    return 0;
}
