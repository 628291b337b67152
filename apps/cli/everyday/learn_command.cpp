#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "commands.hpp"
#include "everyday/suspect_text.hpp"
#include "fearnet/data/frames.hpp"
#include "fearnet/error.hpp"
#include "fearnet/threads.hpp"
#include "research/run_arguments.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

constexpr const char* kFooter =
    R"(DATA holds photographs (JPEG, PNG, WebP), sounds (WAV, FLAC, OGG, MP3), texts or numeric rows:
  photos/                  a folder with one folder of files per class; with --label, any folder of files
  IMG_2041.jpg --label rex one file
  list.csv, list.jsonl     a list with the columns or keys "path" or "text", and "label"
  texts.txt                one example per line: "text" or "label<TAB>text"
  rows.npz                 x and y, or x_train and y_train; also .npy, .csv, .tsv, a folder of IDX files, a built-in set
--label gives all examples one class and ignores labels in DATA. Files that cannot be read are named and skipped.

Photographs, sounds and texts become rows through an embedding model ('fearnet models'). A brain learns with one model:
the one that 'fearnet new --features' names, else the default for what it is taught first. A brain of 'fearnet new
--features text:ngrams' learns texts without a model. A brain that does not exist is created.

The first call teaches the base classes and takes longest. Each later call may teach new classes and more rows of known
ones. The number of rows, features and classes in DATA is printed on standard error before learning starts. When the
command succeeds, the result is on disk; when it is interrupted, the brain is unchanged.

Learner fearnet-plus asks what it would take each row for if it had not been taught, and names the rows (by their file,
or by their number from 0) whose labels are probably wrong. They are taught all the same unless --skip-suspicious is
given. With --quiet and without --json or --skip-suspicious, labels are not checked.

Examples:
  fearnet learn pets.brain photos/
  fearnet learn pets.brain new/ --label rex
  fearnet learn birds.brain base.npz
  fearnet learn birds.brain table.csv --label-column species --drop id,date --dry-run
  fearnet learn birds.brain owl.npy --label owl --auto-sleep
  fearnet learn birds.brain crowd.npz --skip-suspicious
  fearnet learn desk.brain requests.jsonl
  fearnet learn languages.brain welsh.txt --label Welsh)";

struct LearnArguments : BrainArguments {
    std::vector<std::string> files;
    bool auto_sleep = false;
    bool dry_run = false;
    bool skip_suspicious = false;
};

Json as_json(const LearnOutcome& outcome, bool slept, const std::vector<SuspectLabel>& suspects, bool skipped,
             const NamedRows& rows) {
    return {{"examples", outcome.examples},
            {"suspects", cli::as_json(suspects, rows.inputs)},
            {"skipped", skipped ? suspects.size() : std::size_t{0}},
            {"unreadable", cli::as_json(rows.skipped)},
            {"new_classes", outcome.new_classes},
            {"known_classes", outcome.known_classes},
            {"learn_seconds", outcome.learn_seconds},
            {"write_seconds", outcome.write_seconds},
            {"slept", slept},
            {"sleep_due", slept ? "" : outcome.sleep_due.value_or("")}};
}

void print(const LearnOutcome& o, bool slept, const std::string& brain) {
    std::string what;
    if (!o.new_classes.empty()) what = "new: " + names_text(o.new_classes);
    if (!o.known_classes.empty())
        what += (what.empty() ? "" : "; ") + ("known: " + names_text(o.known_classes));
    fmt::print("learned {}; {}; {:.2f} s to learn, {:.2f} s to write\n",
               counted(o.examples, "example", "examples"), what, o.learn_seconds, o.write_seconds);
    if (slept)
        fmt::print("slept, because sleep was due: {}\n", *o.sleep_due);
    else if (o.sleep_due)
        fmt::print("sleep is due: {}; run 'fearnet sleep {}'\n", *o.sleep_due, brain);
}

void print_suspects(const std::vector<SuspectLabel>& suspects, const NamedRows& rows, bool skipped) {
    if (suspects.empty()) return;
    const bool several = std::set<std::string>(rows.labels.begin(), rows.labels.end()).size() > 1;
    const std::vector<std::string> lines = suspect_lines(suspects, several, rows.inputs);
    const char* what = skipped ? "not taught" : "taught anyway, --skip-suspicious leaves them out";
    if (lines.size() == 1) return fmt::print("{}; {}\n", lines[0], what);
    fmt::print("{} probably wrong; {}:\n", counted(suspects.size(), "label is", "labels are"), what);
    for (const std::string& line : lines) fmt::print("  {}\n", line);
}

// What learning would do.
int describe(const Brain& brain, const LearnArguments& a, const NamedRows& rows) {
    const std::vector<std::string> taught = brain.class_names();  // sorted
    std::vector<std::string> fresh, known;
    for (const std::string& name : std::set<std::string>(rows.labels.begin(), rows.labels.end()))
        (std::binary_search(taught.begin(), taught.end(), name) ? known : fresh).push_back(name);
    if (a.json) {
        fmt::print("{}\n", json_text({{"dry_run", true},
                                      {"examples", rows.x.rows()},
                                      {"features", rows.x.cols()},
                                      {"labels_from", a.label.empty() ? rows.label_source : "--label"},
                                      {"new_classes", fresh},
                                      {"known_classes", known},
                                      {"unreadable", cli::as_json(rows.skipped)},
                                      {"warnings", rows.warnings}}));
        return kDone;
    }
    fmt::print("--dry-run: nothing was learned; new: {}; known: {}\n", names_text(fresh), names_text(known));
    return kDone;
}

// The options of a brain are fixed when it is created, before its rows are known. If the rows of the first
// session consist of frames and the brain does not use them, prints the option that does.
void advise_on_frames(const Brain& brain, const LearnArguments& a, MatrixView rows) {
    if (a.quiet || brain.width() != 0) return;
    const std::map<std::string, std::string> options = brain.info().options;
    const auto set = options.find(kFramesOption);
    if (set == options.end() || set->second != "1") return;
    const std::size_t frames = find_frames(rows);
    if (frames == 1) return;
    fmt::print(stderr,
               "{}: a row looks like {} frames of {} features; a brain created with 'fearnet new --set "
               "{}={}' uses them\n",
               printable(a.data), frames, rows.cols / frames, kFramesOption, frames);
}

// The brain of the file, or a new one in memory if there is no file. That it cannot be written is said before
// anything is embedded.
Brain open_or_new(const LearnArguments& a, bool& is_new) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    is_new = fs::status(a.brain, ignored).type() == fs::file_type::not_found;
    const fs::path folder = fs::path(a.brain).parent_path();
    const std::string needed = is_new ? (folder.empty() ? "." : folder.string()) : a.brain;
    if (!a.dry_run && ::access(needed.c_str(), W_OK) != 0)
        throw Error(fmt::format("{}: cannot be written to: {}", needed, std::strerror(errno)));
    if (!is_new) return open_brain(a, a.dry_run ? BrainAccess::read : BrainAccess::write);
    if (const auto threads = parse_threads(a.threads)) set_threads(*threads);
    return Brain();
}

// Writes the new brain to its file. Whether no other process has made it meanwhile.
bool keep(const Brain& brain, const std::string& path) {
    try {
        brain.copy_to(path);
        return true;
    } catch (const Error&) {
        if (!std::filesystem::exists(path)) throw;
        return false;
    }
}

int learn(const LearnArguments& a) {
    bool is_new = false;
    Brain brain = open_or_new(a, is_new);
    Work work(a);
    const NamedRows rows = rows_for(brain, a, Split::train, work.progress());
    if (rows.labels.empty()) throw Error(a.data + ": has no labels; give the class of its rows with --label");
    print_data_summary(a, rows);
    if (!rows.embedder) advise_on_frames(brain, a, rows.x);
    if (a.dry_run) return describe(brain, a, rows);
    if (a.skip_suspicious) require_label_check(brain, "--skip-suspicious");
    std::vector<SuspectLabel> suspects;
    if (!a.quiet || a.json || a.skip_suspicious) suspects = brain.suspect_labels(rows.x, rows.labels);
    const bool skip = a.skip_suspicious && !suspects.empty();
    const NamedRows left = skip ? without(suspects, rows) : NamedRows{};
    const NamedRows& taught = skip ? left : rows;
    const FrontEnd front_end = taught.embedder ? taught.embedder->front_end() : FrontEnd();
    LearnOutcome outcome = brain.learn(front_end, taught.x, taught.labels, work.progress());
    bool slept = a.auto_sleep && outcome.sleep_due && brain.sleep({}, work.progress());
    if (is_new && !keep(brain, a.brain)) {
        is_new = false;
        brain = open_brain(a, BrainAccess::write);
        outcome = brain.learn(front_end, taught.x, taught.labels, work.progress());
        slept = a.auto_sleep && outcome.sleep_due && brain.sleep({}, work.progress());
    }
    if (a.json)
        fmt::print("{}\n", json_text(as_json(outcome, slept, suspects, skip, rows)));
    else if (!a.quiet) {
        if (is_new) fmt::print("{}: new brain\n", printable(a.brain));
        print_suspects(suspects, rows, skip);
        print(outcome, slept, printable(a.brain));
    }
    return kDone;
}

constexpr const char* kSleepFooter =
    R"(Consolidates the classes taught since the last sleep into the long-term memory, then deletes their examples from the
file. When it is interrupted, the brain is unchanged. --epochs and --time-budget apply to learners that train networks
in sleep and replace the option sleep.epochs for this call.

Examples:
  fearnet sleep birds.brain
  fearnet sleep birds.brain --time-budget 30s)";

struct SleepArguments : BrainArguments {
    std::int64_t epochs = 0;
    std::string time_budget;
};

int sleep(const SleepArguments& a) {
    SleepEffort effort;
    effort.epochs = a.epochs;
    if (!a.time_budget.empty()) effort.seconds = parse_seconds("--time-budget", a.time_budget);
    Brain brain = open_brain(a, BrainAccess::write);
    Work work(a);
    const bool slept = brain.sleep(effort, work.progress());
    const BrainInfo info = brain.info();
    const double seconds = slept ? info.history.back().seconds : 0;
    if (a.json)
        fmt::print("{}\n",
                   json_text({{"slept", slept}, {"seconds", seconds}, {"file_bytes", info.file_bytes}}));
    else if (a.quiet)
        return kDone;
    else if (slept)
        fmt::print("slept for {:.1f} s: consolidated {}, deleted {}; the file is {}\n", seconds,
                   info.history.back().detail,
                   counted(static_cast<std::size_t>(info.history.back().examples), "example", "examples"),
                   bytes_text(info.file_bytes));
    else
        fmt::print("nothing to consolidate\n");
    return kDone;
}

}  // namespace

void add_learn_command(Program& program) {
    const auto a = std::make_shared<LearnArguments>();
    Command& command =
        add_brain_command(program, "learn", "Teach a brain new classes, or more rows of known ones", *a);
    command.footer(kFooter);
    command
        .option("DATA", a->files,
                "Examples with labels; with --label also several photographs, sounds or texts; - for "
                "standard input")
        .required();
    command.option("--label", a->label, "Class of all rows; labels in DATA are ignored");
    command.flag("--auto-sleep", a->auto_sleep, "Sleep afterwards if sleep is due");
    command.flag("--skip-suspicious", a->skip_suspicious, "Leave out rows whose labels are probably wrong");
    command.flag("--dry-run", a->dry_run, "Read DATA, print what would be learned, and change nothing");
    add_data_options(command, a->reading);
    command.run([a] {
        a->take_files(a->files);
        return learn(*a);
    });
}

void add_sleep_command(Program& program) {
    const auto a = std::make_shared<SleepArguments>();
    Command& command =
        add_brain_command(program, "sleep", "Consolidate recent classes and delete their examples", *a);
    command.footer(kSleepFooter);
    command.option("--epochs", a->epochs, "Epochs over the replayed examples; default: option sleep.epochs")
        .between(1, 100000);
    command.option("--time-budget", a->time_budget, "Approximate maximum duration, such as 30s")
        .value_name("TIME");
    command.run([a] { return sleep(*a); });
}

}  // namespace fearnet::cli
