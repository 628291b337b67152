#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "commands.hpp"
#include "fearnet/data/load.hpp"
#include "fearnet/error.hpp"
#include "fearnet/lab/report.hpp"
#include "fearnet/registry.hpp"
#include "fearnet/threads.hpp"
#include "interrupt.hpp"
#include "progress_display.hpp"
#include "research/lab.hpp"
#include "research/machine.hpp"
#include "research/run_arguments.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestName = 28;

constexpr const char* kFooter =
    R"(DATA is a file or the name of a built-in data set ('fearnet datasets' lists them). An .npz file holds x_train,
y_train, x_test, y_test and optionally names. Files without a test set are split by class.

The run first trains the offline MLP on all classes at once, as the reference of the scores. It then teaches
the learner the base classes, and one more class per session. The learner sleeps after every N-th session
(--sleep-every). After each session it is tested on the base classes, on the newest class and on all classes
taught so far. The same seed with the same number of threads gives the same numbers.

--open-world also measures answers to rows that may be of no taught class: how well the test rows of classes not
taught yet are detected (AUROC, and FPR95: their share accepted if 95 % of the known rows are), beside the usual
detectors on the same rows; how many known rows are familiar at 95 % and 99 %, and have their class in the set
of confidence 90 %; and the calibration error of the probabilities. --evaluate-every 5 keeps it short.

--out writes page.html (the accuracy over sessions, the classes, some answers), accuracy.svg, sessions.csv (one line per
session and seed) and summary.json after each seed.
Ctrl-C stops the run and keeps finished sessions; a second Ctrl-C ends the program at once.

Exit codes: 0 done, 2 bad input, 130 interrupted, 1 anything else.

Examples:
  fearnet run languages --out results
  fearnet run cub200.npz --preset cub200 --seeds 1,2,3 --threads 2 --out cub200
  fearnet run birds.npz --learner fearnet-plus --open-world --evaluate-every 5
  fearnet run features.csv --base-classes 5 --sleep-every 2 --set hippocampus.epsilon=0.01)";

// "base  50 classes" or "session 12/50  +willow_tree", with the accuracies.
std::string session_line(const SessionRecord& s, std::size_t sessions, std::size_t name_width) {
    const auto accuracy = [](const char* name, double value) {
        return fmt::format("  {} {:5.1f} %", name, 100 * value);
    };
    const std::string count = std::to_string(sessions);
    const std::string head =
        s.session == 0 ? "base" : fmt::format("session {:>{}}/{}", s.session, count.size(), count);
    const std::string name = s.session == 0 ? fmt::format("{} classes", s.classes_seen) : "+" + s.class_name;
    std::string line = fitted(head, 40, 9 + 2 * count.size()) + "  " + fitted(name, name_width, name_width);
    line += accuracy("all", s.accuracy.all);
    if (s.session == 0) return line;
    line += accuracy("base", s.accuracy.base) + accuracy("new", s.accuracy.recent);
    return s.slept ? line + "  slept" : line;
}

std::size_t widest_name(const FeatureSet& set) {
    std::size_t width = 11;
    for (const std::string& name : set.names) width = std::max(width, 1 + display_width(name));
    return std::min(width, kLongestName);
}

// All seeds, one after the other; what is finished is on disk after each.
class Experiment {
  public:
    // `first` is the run of the first seed.
    Experiment(const FeatureSet& set, const RunOptions& options, ProtocolRun first,
               std::vector<std::uint64_t> seeds, RunContext context, const OutputDirectory* out,
               const InterruptGuard& guard, ProgressDisplay& display)
        : set_(set),
          options_(options),
          first_(std::move(first)),
          seeds_(std::move(seeds)),
          context_(std::move(context)),
          out_(out),
          guard_(guard),
          display_(display),
          name_width_(widest_name(set)) {}

    // False when it was interrupted.
    bool run() {
        for (std::size_t i = 0; i < seeds_.size() && !guard_.interrupted(); ++i) {
            if (seeds_.size() > 1)
                display_.line(fmt::format("seed {} ({} of {})", seeds_[i], i + 1, seeds_.size()));
            options_.seed = seeds_[i];
            ProtocolRun run = i == 0 ? std::move(first_) : ProtocolRun(set_, options_);
            RunRecord record = run.run([&](const RunProgress& p) {
                show(p, i);
                return !guard_.interrupted();
            });
            if (record.sessions.empty()) continue;
            records_.push_back(std::move(record));
            if (out_ != nullptr) write_report(out_->path(), records_, context_);
        }
        display_.clear();
        return !guard_.interrupted();
    }
    const std::vector<RunRecord>& records() const { return records_; }

  private:
    void show(const RunProgress& p, std::size_t seed) {
        if (p.finished_session != nullptr)
            display_.line(session_line(*p.finished_session, p.sessions, name_width_));
        const double fraction = (static_cast<double>(seed) + p.fraction) / static_cast<double>(seeds_.size());
        display_.update(fraction,
                        seeds_.size() > 1 ? fmt::format("seed {}: {}", seeds_[seed], p.what) : p.what);
    }

    const FeatureSet& set_;
    RunOptions options_;
    ProtocolRun first_;
    std::vector<std::uint64_t> seeds_;
    RunContext context_;
    const OutputDirectory* out_;
    const InterruptGuard& guard_;
    ProgressDisplay& display_;
    std::size_t name_width_;
    std::vector<RunRecord> records_;
};

void print_results(const std::vector<RunRecord>& records, const OutputDirectory* out) {
    if (records.empty()) return;
    fmt::print("{}\n", printable_lines(omega_table(records)));
    if (const std::string table = open_world_table(records); !table.empty()) fmt::print("{}\n", table);
    if (out == nullptr)
        fmt::print("Add --out DIR to write sessions.csv, summary.json and a plot.\n");
    else
        fmt::print("page: {}\nplot: {}\nnumbers: {}, {}\n", printable((out->path() / "page.html").string()),
                   printable((out->path() / "accuracy.svg").string()),
                   printable((out->path() / "sessions.csv").string()),
                   printable((out->path() / "summary.json").string()));
    std::fflush(stdout);
}

// A repeated run replaces its files. Files of another run, or of another program, are refused.
void refuse_other_results(const std::filesystem::path& directory, const std::string& dataset,
                          const std::string& learner) {
    const std::filesystem::path path = directory / "summary.json";
    if (!std::filesystem::exists(path)) return;
    std::stringstream text;
    if (std::filesystem::is_regular_file(path)) text << std::ifstream(path).rdbuf();
    const Json summary = Json::parse(text.str(), nullptr, false);
    const auto its = [](const Json& run, const char* key) {
        return run.is_object() && run.contains(key) && run[key].is_string() ? run[key].get<std::string>()
                                                                            : "";
    };
    // As it stands in the file, should it not be UTF-8.
    const auto written = [](const std::string& name) {
        return Json::parse(Json(name).dump(-1, ' ', false, Json::error_handler_t::replace))
            .get<std::string>();
    };
    if (!summary.is_object() || !summary.contains("runs") || !summary["runs"].is_array())
        throw Error(
            fmt::format("--out '{}': its summary.json was not written by 'fearnet run'; choose another "
                        "directory, or delete the file",
                        directory.string()));
    for (const Json& run : summary["runs"])
        if (its(run, "dataset") != written(dataset) || its(run, "learner") != learner)
            throw Error(
                fmt::format("--out '{}': holds results of {} on {}, but this run is {} on {}; choose "
                            "another directory, or delete them",
                            directory.string(), its(run, "learner"), its(run, "dataset"), learner, dataset));
}

int run(RunArguments arguments, const std::string& command_line) {
    recover_data(arguments);
    RunOptions options = check_arguments(arguments, "run");
    const std::vector<std::uint64_t> seeds = parse_seeds(arguments.seeds);
    options.seed = options.learner.seed = seeds[0];
    make_learner(options.learner);  // refuses bad settings before the data is read
    if (const auto threads = parse_threads(arguments.threads)) set_threads(*threads);

    ProgressDisplay display(arguments.quiet ? ProgressDisplay::Style::quiet
                                            : ProgressDisplay::fitting_style());
    LoadOptions load;
    load.table = table_options(arguments.reading);
    load.table.progress = embedding_progress(display);
    load.unit_length = !arguments.raw;
    const FeatureSet set = load_feature_set(arguments.data, load);
    const Matrix far_data =
        arguments.far_data.empty() ? Matrix{} : load_feature_set(arguments.far_data, load).test.x;
    options.far_data = far_data;
    ProtocolRun first(set, options);
    if (arguments.out) refuse_other_results(*arguments.out, set.name, options.learner.learner);

    const InterruptGuard guard;  // before there is anything on disk to clean up
    const std::unique_ptr<OutputDirectory> out =
        arguments.out ? std::make_unique<OutputDirectory>(*arguments.out) : nullptr;
    display.line(fmt::format(
        "learner: {} (--learner NAME chooses another, such as {}; see 'fearnet options')",
        options.learner.learner, options.learner.learner == "fearnet" ? "fearnet-plus" : "fearnet"));
    display.line(fmt::format("{}: {} classes{}, {} training and {} test rows of {} features", set.name,
                             set.classes(), set.label_source.empty() ? "" : " from " + set.label_source,
                             set.train.size(), set.test.size(), set.width()));
    if (!arguments.quiet) print_warnings(arguments.data, set.warnings);
    const RunContext context{version(), utc_now(), cpu_name(), max_threads(), command_line};
    Experiment experiment(set, options, std::move(first), seeds, context, out.get(), guard, display);
    const bool done = experiment.run();
    print_results(experiment.records(), out.get());
    if (done) return kDone;
    fmt::print(stderr, "fearnet: interrupted; {}\n",
               experiment.records().empty() ? "no session was finished" : "finished sessions are kept");
    return kInterrupted;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

}  // namespace

void add_run_command(Program& program, const std::string& command_line) {
    const auto a = std::make_shared<RunArguments>();
    Command& command = program.add_command(
        "run", "Teach a learner one class per session and measure its accuracy after each", kResearchGroup);
    command.footer(kFooter);
    command.option("DATA", a->data, "File of features and labels, or a built-in data set");
    command.option("--learner", a->learner, "Learner: " + joined(learner_names())).show_default();
    command.option("--preset", a->preset,
                   "Named set of option values, several separated by commas: " + joined(preset_names()));
    command
        .option("--set", a->settings,
                "Options of the learner, which override the preset; 'fearnet options' lists them")
        .value_name("KEY=VALUE");
    add_protocol_options(command, a->protocol);
    command
        .option("--far-data", a->far_data,
                "With --open-world: another data set, whose test rows the learner should find unfamiliar")
        .value_name("DATA");
    command
        .option(
            "--seeds", a->seeds,
            "One run per seed, separated by commas; the seed decides the class order and all random choices")
        .value_name("S,S,..")
        .show_default();
    command.option("--threads", a->threads, "Number of threads; all: one per processor")
        .value_name("N")
        .show_default();
    command
        .option("--out", a->out,
                "Directory for page.html, accuracy.svg, sessions.csv and summary.json; created if missing")
        .value_name("DIR");
    command.flag("--raw", a->raw, "Do not scale rows to unit length");
    add_data_options(command, a->reading);
    add_features_option(command, a->reading);
    command.flag("--quiet", a->quiet, "Print only results, no progress");
    command.run([a, command_line] { return run(*a, command_line); });
}

}  // namespace fearnet::cli
