// Peak memory of a sleep with 100 to 1,000 consolidated classes. Each size is built in one process and sleeps
// in another, which starts clean from the saved state, so that nothing of the building is counted.
#include "sleep_memory.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/learners/fearnet/fearnet.hpp"
#include "fearnet/data/state_file.hpp"
#include "fearnet/error.hpp"
#include "fearnet/rng.hpp"
#include "process_memory.hpp"
#include "temporary_folder.hpp"

namespace fearnet::bench {
namespace {

constexpr std::size_t kFeatures = 2048, kRecentClasses = 10, kRecentRows = 500;

struct Arguments {
    std::vector<std::size_t> classes = {100, 250, 500, 1000};
    std::string preset = "cifar100";
    std::int64_t epochs = 1;
    std::string svg;
};

// Many random rows in little memory: row i is the window that starts at number i * kShift of one noise. Their
// length is near one.
class NoiseRows {
  public:
    NoiseRows(std::size_t first_class, std::size_t classes, std::size_t rows_per_class, Rng rng)
        : rows_(classes * rows_per_class), noise_(rows_ * kShift + kFeatures) {
        rng.fill_normal(noise_);
        const float scale = 1 / std::sqrt(static_cast<float>(kFeatures));
        for (float& v : noise_) v *= scale;
        for (std::size_t i = 0; i < rows_; ++i)
            labels_.push_back(static_cast<ClassId>(first_class + i / rows_per_class));
    }
    LabeledView view() const { return {{noise_.data(), rows_, kFeatures, kShift}, labels_}; }

  private:
    static constexpr std::size_t kShift = 61;
    std::size_t rows_;
    std::vector<float> noise_;
    std::vector<ClassId> labels_;
};

// Untrained, since memory does not depend on the numbers, but with statistics of full rank.
void build(std::size_t classes, const Arguments& a, const std::filesystem::path& state_file) {
    FearNetOptions options = fearnet_preset(a.preset);
    options.training.base_epochs = 0;
    options.amygdala.epochs = 0;
    options.amygdala.standardize = false;
    options.amygdala.held_out = 0;
    options.sleep.epochs = a.epochs;
    options.sleep.min_steps = 0;
    const auto code_size = static_cast<std::size_t>(options.network.hidden.back());
    FearNet learner(options);
    const Rng rng(1);
    learner.learn(NoiseRows(0, classes, code_size + 10, rng.fork(1)).view());
    learner.learn(NoiseRows(classes, kRecentClasses, kRecentRows, rng.fork(2)).view());
    save_state(learner.save(), state_file);
}

SleepMemory measure(std::size_t classes, const std::filesystem::path& state_file) {
    const std::unique_ptr<FearNet> learner = FearNet::load(load_state(state_file));
    SleepMemory m;
    m.classes = classes;
    const MemoryUse use = learner->memory();
    m.model_bytes = use.at("networks") + use.at("statistics");
    m.recent_bytes = use.at("examples");
    forget_peak();
    m.before_bytes = memory_status("VmRSS");
    const auto start = std::chrono::steady_clock::now();
    learner->sleep();
    m.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    m.peak_bytes = memory_status("VmHWM");
    return m;
}

// Runs work() in a process of its own and hands back what it returned. This process never computes, so the
// child starts small and with no threads.
template <class Work>
SleepMemory in_child(const Work& work) {
    int ends[2];
    if (pipe(ends) != 0) throw Error(std::string("pipe: ") + std::strerror(errno));
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw Error(std::string("fork: ") + std::strerror(errno));
    if (child == 0) {
        close(ends[0]);
        try {
            const SleepMemory result = work();
            _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
        } catch (const std::exception& error) {
            fmt::print(stderr, "fearnet_bench_sleep_memory: {}\n", error.what());
            std::fflush(nullptr);
            _exit(2);
        }
    }
    close(ends[1]);
    SleepMemory result;
    const bool whole = read(ends[0], &result, sizeof result) == sizeof result;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!whole || status != 0) throw Error("a measuring process failed");
    return result;
}

void print_row(const SleepMemory& m) {
    const auto mb = [](double bytes) { return fmt::format("{:.0f}", bytes / kMegabyte); };
    fmt::print("{:>8}  {:>8}  {:>14}  {:>12}  {:>8}  {:>16}  {:>7.1f}\n", m.classes,
               mb(static_cast<double>(m.model_bytes)), mb(static_cast<double>(m.recent_bytes)),
               mb(static_cast<double>(m.before_bytes)), mb(static_cast<double>(m.peak_bytes)), mb(m.above()),
               m.seconds);
    std::fflush(stdout);
}

void print_verdict(const std::vector<SleepMemory>& all) {
    nlohmann::ordered_json above;
    for (const SleepMemory& m : all) above[std::to_string(m.classes)] = std::round(m.above() / 1e5) / 10;
    for (const SleepMemory& m : all)
        if (m.classes == 1000)
            fmt::print("\n1000 classes: {:.0f} MB above model + recent memory, limit {:.0f} MB: {}\n",
                       m.above() / kMegabyte, kLimit / kMegabyte, m.above() <= kLimit ? "kept" : "EXCEEDED");
    fmt::print("{}\n", nlohmann::ordered_json{{"limit_mb", kLimit / kMegabyte}, {"above_mb", above}}.dump());
}

void run(const Arguments& a) {
    const TemporaryFolder folder;
    const std::filesystem::path state_file = folder.path / "state";
    fmt::print(
        "Sleep with {} classes of {} rows of {} features in the recent memory, preset {}; MB = 10^6 "
        "bytes\n\n",
        kRecentClasses, kRecentRows, kFeatures, a.preset);
    fmt::print("{:>8}  {:>8}  {:>14}  {:>12}  {:>8}  {:>16}  {:>7}\n", "classes", "model", "recent memory",
               "RSS before", "peak RSS", "above model+rec.", "seconds");
    std::vector<SleepMemory> all;
    for (const std::size_t classes : a.classes) {
        in_child([&] { return build(classes, a, state_file), SleepMemory{}; });
        all.push_back(in_child([&] { return measure(classes, state_file); }));
        print_row(all.back());
    }
    print_verdict(all);
    if (a.svg.empty()) return;
    const std::string subtitle =
        fmt::format("{} classes of {} rows of {} features in the recent memory; network of preset {}",
                    kRecentClasses, kRecentRows, kFeatures, a.preset);
    std::ofstream file(a.svg);
    file << sleep_memory_svg(all, subtitle);
    file.close();
    if (!file) throw Error(a.svg + ": cannot be written");
}

}  // namespace
}  // namespace fearnet::bench

int main(int argc, char** argv) {
    fearnet::bench::Arguments a;
    CLI::App program("Peak memory of a sleep, beside the model and the recent memory, by number of classes");
    program.add_option("--classes", a.classes, "Consolidated classes, e.g. 100,1000")
        ->delimiter(',')
        ->check(CLI::Range(2, 100000));
    program.add_option("--preset", a.preset, "Whose network")->capture_default_str();
    program.add_option("--epochs", a.epochs, "Epochs of the sleep, at least; see sleep.min_steps")
        ->capture_default_str()
        ->check(CLI::Range(0, 1000));
    program.add_option("--svg", a.svg, "Draw the growth into this file");
    CLI11_PARSE(program, argc, argv);
    try {
        fearnet::bench::run(a);
    } catch (const fearnet::Error& error) {
        fmt::print(stderr, "fearnet_bench_sleep_memory: {}\n", error.what());
        return 2;
    }
    return 0;
}
