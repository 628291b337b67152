#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fearnet/data/load.hpp"
#include "fearnet/error.hpp"
#include "fearnet/lab/tune.hpp"
#include "fearnet/registry.hpp"
#include "fearnet/threads.hpp"
#include "interrupt.hpp"
#include "progress_display.hpp"
#include "research/lab.hpp"
#include "research/machine.hpp"
#include "research/run_arguments.hpp"

namespace fearnet::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShown = 10;

constexpr const char* kFooter =
    R"(The search uses only training rows of the base classes of the seed; a fifth of each class's rows is held out as test
rows. Each trial runs the protocol on them: half of the base classes at once, then one class per session. Trials are
ranked by the mean accuracy over all classes taught so far. The first trial has no changed option, so that the table
shows what the search gains. Without --search the learner's own ranges are searched, which are the paper's where the
paper gives them.

--out writes one line per finished trial; the same command continues an interrupted search. --jobs 2 runs two trials at
once with one thread each, which gives the same numbers.

Examples:
  fearnet tune cub200.npz --learner streaming-lda
  fearnet tune cub200.npz --preset cub200 --trials 10 --jobs 2 --out cub200-trials.jsonl
  fearnet tune cifar100.npz --search 'sleep.soft_targets=0|0.5|1' --search 'sleep.epochs=30|60')";

struct TuneArguments : RunArguments {
    std::vector<std::string> search;
    std::string trials = "20";
    std::string jobs = "1";
};

// "option=a|b|c"
SearchRange parse_range(const std::string& text) {
    const auto [option, values] = split_assignment(text);
    SearchRange range{option, {}};
    for (std::string_view rest = values;;) {
        const std::string_view word = rest.substr(0, rest.find('|'));
        if (word.empty())
            throw Error(fmt::format("--search '{}': a value is empty; write OPTION=A|B|C", text));
        range.values.emplace_back(word);
        if (word.size() == rest.size()) return range;
        rest.remove_prefix(word.size() + 1);
    }
}

std::string as_text(const Settings& settings) {
    std::string text;
    for (const auto& [name, value] : settings)
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    return text.empty() ? "(no option changed)" : text;
}

Json as_json(const Settings& settings) {
    Json object = Json::object();
    for (const auto& [name, value] : settings) object[name] = value;
    return object;
}

// One line of what is searched, and when and where that began, then one per finished trial. Lines are flushed
// as they come; the last one may be torn by a crash and is then written again.
class TrialFile {
  public:
    TrialFile(const std::string& path, const std::string& data, const TuneOptions& o) : path_(path) {
        Json head{{"data", data},
                  {"learner", o.learner.learner},
                  {"preset", o.learner.preset},
                  {"fixed", as_json(o.learner.settings)}};
        const Json protocol = Json::parse(protocol_json(o.protocol));
        head.update(protocol);
        head["seed"] = o.seed;
        std::string kept = with_origin(head).dump() + "\n";
        if (std::ifstream file(path); file) kept = read(file, head, kept);
        file_.open(path, std::ios::trunc);
        file_ << kept << std::flush;
        if (!file_) throw Error(fmt::format("--out '{}': cannot write there", path));
    }
    void add(const Trial& t) {
        file_ << Json{{"settings", as_json(t.settings)},
                      {"base", t.accuracy.base},
                      {"new", t.accuracy.recent},
                      {"all", t.accuracy.all},
                      {"seconds", std::round(10 * t.seconds) / 10}}
                     .dump()
              << '\n'
              << std::flush;
        if (!file_) throw Error(fmt::format("--out '{}': cannot write any more; is the disk full?", path_));
    }
    const std::vector<Trial>& known() const { return known_; }

  private:
    static Json with_origin(Json head) {
        head["version"] = version(), head["date"] = utc_now(), head["machine"] = cpu_name();
        return head;
    }
    // What to keep of the file; `fresh` when it is empty.
    std::string read(std::ifstream& file, const Json& head, const std::string& fresh) {
        std::string line;
        if (!std::getline(file, line)) return fresh;
        Json there = Json::parse(line, nullptr, false);
        for (const char* origin : {"version", "date", "machine"})
            if (there.is_object()) there.erase(origin);
        if (there != head)
            throw Error(fmt::format(
                "--out '{}': holds trials of another search ({}); choose another file or delete it", path_,
                line.substr(0, 200)));
        std::string kept = line + "\n";
        while (std::getline(file, line)) {
            const Json j = Json::parse(line, nullptr, false);
            if (!j.is_object() || !j.contains("settings") || !j.contains("all")) continue;
            Trial t;
            for (const auto& [name, value] : j["settings"].items()) t.settings.emplace_back(name, value);
            t.accuracy = {j.value("base", 0.0), j.value("new", 0.0), j.value("all", 0.0)};
            t.seconds = j.value("seconds", 0.0);
            known_.push_back(std::move(t));
            kept += line + "\n";
        }
        return kept;
    }
    std::string path_;
    std::vector<Trial> known_;
    std::ofstream file_;
};

void print_trials(const std::vector<Trial>& trials) {
    fmt::print("\n   all    base     new   settings\n");
    std::size_t shown = 0;
    for (const Trial& t : trials)
        if (++shown <= kShown || t.settings.empty())
            fmt::print("{:5.1f} % {:5.1f} % {:5.1f} %  {}\n", 100 * t.accuracy.all, 100 * t.accuracy.base,
                       100 * t.accuracy.recent, as_text(t.settings));
    if (trials.front().settings.empty()) {
        fmt::print("\nNo trial is better than the learner without changed options.\n");
        return;
    }
    fmt::print("\nBest of {} trials:", trials.size());
    for (const auto& [name, value] : trials.front().settings) fmt::print(" --set {}={}", name, value);
    fmt::print("\n");
}

TuneOptions tune_options(const TuneArguments& a) {
    const RunOptions run = check_arguments(a, "tune");
    TuneOptions options;
    options.learner = run.learner;
    options.protocol = run.protocol;
    make_learner(options.learner);  // refuses bad settings before the data is read
    const std::vector<std::uint64_t> seeds = parse_seeds(a.seeds);
    if (seeds.size() != 1) throw Error(fmt::format("--seed '{}': takes exactly one seed", a.seeds));
    options.seed = seeds[0];
    options.trials = parse_count("--trials", a.trials, 1, 100000);
    options.jobs = static_cast<int>(parse_count("--jobs", a.jobs, 1, 1024));
    for (const std::string& text : a.search) options.search.push_back(parse_range(text));
    tuning_trials(options);
    return options;
}

int tune_command(const TuneArguments& a, const std::string& out) {
    const TuneOptions options = tune_options(a);
    if (const auto threads = parse_threads(a.threads)) {
        if (options.jobs > 1 && *threads > 1)
            throw Error(
                fmt::format("--threads {}: with --jobs {} each trial has one thread; give only one of them",
                            *threads, options.jobs));
        set_threads(*threads);
    }
    ProgressDisplay display(a.quiet ? ProgressDisplay::Style::quiet : ProgressDisplay::fitting_style());
    LoadOptions load;
    load.table = table_options(a.reading);
    load.table.progress = embedding_progress(display);
    load.unit_length = !a.raw;
    const FeatureSet set = load_feature_set(a.data, load);
    tuning_set(set, options);
    const auto file = out.empty() ? nullptr : std::make_unique<TrialFile>(out, set.name, options);
    if (file && !file->known().empty())
        display.line(fmt::format("{} finished trials found in {}", file->known().size(), out));

    const InterruptGuard guard;
    const std::vector<Trial> trials =
        tune(set, options, file ? file->known() : std::vector<Trial>{}, [&](const TuneProgress& p) {
            if (p.finished_trial != nullptr) {
                display.line(fmt::format("{:5.1f} %  {}", 100 * p.finished_trial->accuracy.all,
                                         as_text(p.finished_trial->settings)));
                if (file) file->add(*p.finished_trial);
            }
            display.update(p.fraction, p.what);
            return !guard.interrupted();
        });
    display.clear();
    if (!trials.empty()) print_trials(trials);
    std::fflush(stdout);
    if (!guard.interrupted()) return kDone;
    fmt::print(stderr, "fearnet: interrupted; {}\n",
               out.empty() ? "no trial is kept" : "finished trials are in " + printable(out));
    return kInterrupted;
}

}  // namespace

void add_tune_command(Program& program) {
    const auto a = std::make_shared<TuneArguments>();
    const auto out = std::make_shared<std::string>();
    Command& command = program.add_command("tune", "Search the options of a learner on the base classes only",
                                           kResearchGroup);
    command.footer(kFooter);
    command.option("DATA", a->data, "File of features and labels, or a built-in data set");
    command.option("--learner", a->learner, "Learner whose options are searched").show_default();
    command.option("--preset", a->preset, "Preset of the options that are not searched");
    command.option("--set", a->settings, "Fixed values of options that are not searched")
        .value_name("KEY=VALUE");
    command.option("--search", a->search, "Values of one option to try; may be repeated")
        .value_name("KEY=A|B|..");
    command.option("--trials", a->trials, "Number of combinations to try").value_name("N").show_default();
    add_protocol_options(command, a->protocol, "open_world");
    command.option("--seed", a->seeds, "Seed of the class order and all random choices")
        .value_name("S")
        .show_default();
    command.option("--jobs", a->jobs, "Trials at once; above 1 each has one thread")
        .value_name("N")
        .show_default();
    command.option("--threads", a->threads, "Number of threads; all: one per processor")
        .value_name("N")
        .show_default();
    command.option("--out", *out, "File for one line of JSON per trial; an existing one is continued")
        .value_name("FILE");
    command.flag("--raw", a->raw, "Do not scale rows to unit length");
    add_data_options(command, a->reading);
    add_features_option(command, a->reading);
    command.flag("--quiet", a->quiet, "Print only results, no progress");
    command.run([a, out] {
        recover_data(*a);
        return tune_command(*a, *out);
    });
}

}  // namespace fearnet::cli
