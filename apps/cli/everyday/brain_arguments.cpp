#include "everyday/brain_arguments.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "fearnet/data/models.hpp"
#include "fearnet/error.hpp"
#include "fearnet/threads.hpp"
#include "research/run_arguments.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

struct Unit {
    std::string_view name;
    double value;
};

// A number and one of the units, with or without a blank between.
double parse_with_unit(const char* flag, const std::string& text, std::span<const Unit> units,
                       const char* example) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (error == std::errc() && std::isfinite(number) && number >= 0)
        for (const Unit& unit : units)
            if (rest == unit.name) return number * unit.value;
    throw Error(fmt::format("{} '{}': expected a number and a unit, such as {}", flag, text, example));
}

double seconds_of(const char* flag, const std::string& text) {
    static constexpr std::array<Unit, 6> kUnits{
        {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {"m", 60}, {"h", 3600}}};
    return parse_with_unit(flag, text, kUnits, "30s");
}

}  // namespace

Command& add_brain_command(Program& program, const char* name, const char* what, BrainArguments& a) {
    Command& command = program.add_command(name, what, kEverydayGroup);
    command.option("BRAIN", a.brain, "File of the brain").required();
    command.flag("--json", a.json, "Print the result as JSON");
    command.flag("--quiet", a.quiet, "Print only results: no progress, no summary");
    command.option("--threads", a.threads, "Number of threads; all: one per processor")
        .value_name("N")
        .show_default();
    command
        .option("--lock-timeout", a.lock_timeout,
                "How long to wait for another process that writes to the brain; default 5s")
        .value_name("TIME");
    return command;
}

std::chrono::milliseconds lock_timeout(const BrainArguments& a) {
    if (a.lock_timeout.empty()) return kLockTimeout;
    constexpr double kLongest = 1e9;  // seconds; in milliseconds it fits any counter
    const double seconds = seconds_of("--lock-timeout", a.lock_timeout);
    return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * std::min(seconds, kLongest)));
}

Brain open_brain(const BrainArguments& a, BrainAccess access) {
    if (const auto threads = parse_threads(a.threads)) set_threads(*threads);
    return Brain(a.brain, access, lock_timeout(a));
}

namespace {

const char* plural(InputKind kind) {
    return kind == InputKind::image ? "photographs" : kind == InputKind::sound ? "sounds" : "texts";
}

const char* singular(InputKind kind) {
    return kind == InputKind::image ? "photograph" : kind == InputKind::sound ? "sound" : "text";
}

// What a file without photographs, sounds or texts may be.
std::string no_input(InputKind wanted) {
    const char* formats = wanted == InputKind::image   ? "photographs are JPEG, PNG or WebP"
                          : wanted == InputKind::sound ? "sounds are WAV, FLAC, OGG or MP3"
                                                       : "texts are .txt, or .jsonl or .csv with 'text'";
    return fmt::format("numeric rows or a file of another format ({})", formats);
}

// Neither a file nor the name of a built-in data set.
bool is_missing(const std::string& data) {
    std::error_code ignored;
    if (data == "-" || std::filesystem::exists(data, ignored)) return false;
    const std::vector<BuiltinDataset> builtin = builtin_datasets();
    return std::none_of(builtin.begin(), builtin.end(),
                        [&](const BuiltinDataset& set) { return set.name == data; });
}

// What turns DATA into rows for this brain; none for numeric rows, and for texts as hashed n-grams.
std::shared_ptr<const Embedder> embedder_for(const Brain& brain, const BrainArguments& a) {
    const std::optional<InputKind> kind = input_kind(a.data);
    const FrontEnd& own = brain.front_end();
    if (!own.name.empty()) {
        const auto embedder = std::make_shared<Embedder>(own);
        const InputKind learns = embedder->kind();
        if (!kind && is_missing(a.data)) return embedder;  // the reader tells
        if (kind ? *kind != learns : a.data != "-" || learns != InputKind::text)
            throw Error(fmt::format("{}: this brain learns from {} through {}, but these are {}", a.data,
                                    plural(learns), own.name, kind ? plural(*kind) : no_input(learns)));
        return embedder;
    }
    if (!kind || (brain.accepts_text() && *kind == InputKind::text)) return nullptr;
    if (brain.accepts_text())
        throw Error(fmt::format("{}: {}, but this brain learns from texts", a.data, plural(*kind)));
    if (!brain.class_names().empty())
        throw Error(fmt::format(
            "{}: {}, but this brain learns from numeric rows; create another brain with 'fearnet "
            "new --features {}'",
            a.data, plural(*kind), *kind == InputKind::text ? "text or text:ngrams" : kind_name(*kind)));
    if (*kind == InputKind::text && !model_info(kind_name(*kind)).present)
        throw Error(
            fmt::format("{}: the model of texts is not on this machine; 'fearnet models fetch {}' gets it, "
                        "and a brain created with "
                        "'fearnet new --features text:ngrams' needs none",
                        a.data, kind_name(*kind)));
    return std::make_shared<Embedder>(kind_name(*kind));
}

}  // namespace

TableOptions table_options(const Brain& brain, const BrainArguments& a, Split split, bool labels_count) {
    TableOptions options = table_options(a.reading);
    options.embedder = embedder_for(brain, a);
    options.more_files = a.more_files;
    options.only = split;
    options.width = brain.width();
    options.labels = labels_count && a.label.empty();
    if (options.labels && options.embedder && !inputs_have_labels(a.data))
        throw Error(
            a.data +
            ": has no labels; give the class of its files with --label, or put them into one folder per "
            "class");
    options.text = brain.accepts_text() || (options.embedder && options.embedder->kind() == InputKind::text);
    return options;
}

void refuse_as_output(const char* flag, const std::string& out, const BrainArguments& a) {
    std::vector<std::string> read = a.more_files;
    read.push_back(a.data);
    std::error_code none;
    for (const std::string& file : read)
        if (!out.empty() && !file.empty() && std::filesystem::equivalent(out, file, none))
            throw Error(fmt::format("{} {}: is read by this command; name another file", flag, out));
}

void print_skipped(const std::vector<SkippedInput>& skipped) {
    constexpr std::size_t kShown = 10;
    if (skipped.empty()) return;
    fmt::print(stderr, "{} skipped:\n", counted(skipped.size(), "input was", "inputs were"));
    for (std::size_t i = 0; i < std::min(kShown, skipped.size()); ++i) {
        const auto& [name, reason] = skipped[i];
        const bool named = reason.starts_with(name + ": ");  // by the function that opens files
        fmt::print(stderr, "  {}{}\n", named ? "" : printable(name) + ": ", printable(reason));
    }
    if (skipped.size() > kShown) fmt::print(stderr, "  and {} more\n", skipped.size() - kShown);
}

std::string row_name(const std::vector<std::string>& inputs, std::size_t row) {
    return row < inputs.size() ? printable(inputs[row]) : std::to_string(row);
}

void check_width(const Brain& brain, const BrainArguments& a, MatrixView rows) {
    if (brain.width() != 0 && rows.cols != brain.width())
        throw Error(fmt::format("{}: rows have {} features but the brain expects {}", a.data, rows.cols,
                                brain.width()));
}

NamedRows rows_for(const Brain& brain, const BrainArguments& a, Split split, const Progress& progress) {
    TableOptions options = table_options(brain, a, split, true);
    options.progress = progress;
    NamedRows rows = load_rows(a.data, options);
    check_width(brain, a, rows.x);
    if (!a.label.empty()) rows.labels.assign(rows.x.rows(), a.label);
    check_labels(a, rows.labels);
    return rows;
}

void check_labels(const BrainArguments& a, const std::vector<std::string>& labels) {
    for (const std::string& label : labels)
        if (const std::string problem = name_problem(label); !problem.empty())
            throw Error(fmt::format("{}: the class name '{}' {}", a.label.empty() ? a.data : "--label",
                                    label.substr(0, kMaxNameBytes), problem));
}

void print_data_summary(const BrainArguments& a, const NamedRows& rows) {
    if (a.quiet) return;
    std::string labels = "no labels";
    if (!a.label.empty())
        labels = fmt::format("all of class '{}'", a.label);
    else if (!rows.labels.empty())
        labels = counted(std::set<std::string>(rows.labels.begin(), rows.labels.end()).size(), "class",
                         "classes") +
                 (rows.label_source.empty() ? "" : " from " + rows.label_source);
    if (rows.embedder)
        fmt::print(stderr, "{}: {} as rows of {} features by {}, {}\n", printable(a.data),
                   counted(rows.x.rows(), singular(rows.embedder->kind()), plural(rows.embedder->kind())),
                   rows.x.cols(), rows.embedder->front_end().name, printable(labels));
    else
        fmt::print(stderr, "{}: {}, {}, {}\n", printable(a.data), counted(rows.x.rows(), "row", "rows"),
                   counted(rows.x.cols(), "feature", "features"), printable(labels));
    print_skipped(rows.skipped);
    print_warnings(a.data, rows.warnings);
}

Work::Work(const BrainArguments& a)
    : display_(a.quiet ? ProgressDisplay::Style::quiet : ProgressDisplay::fitting_style()) {}

Progress Work::progress() {
    return [this](const ProgressEvent& event) {
        if (event.total > 0)  // 0: the total is unknown
            display_.update(static_cast<double>(event.done) / static_cast<double>(event.total),
                            std::string(event.phase));
        if (event.done >= event.total) display_.clear();
        return !guard_.interrupted();
    };
}

std::int64_t parse_bytes(const char* flag, const std::string& text) {
    static constexpr std::array<Unit, 12> kUnits{{{"", 1},
                                                  {"B", 1},
                                                  {"kB", 1e3},
                                                  {"KB", 1e3},
                                                  {"MB", 1e6},
                                                  {"GB", 1e9},
                                                  {"K", 1e3},
                                                  {"M", 1e6},
                                                  {"G", 1e9},
                                                  {"KiB", 1024.0},
                                                  {"MiB", 1048576.0},
                                                  {"GiB", 1073741824.0}}};
    const double bytes = parse_with_unit(flag, text, kUnits, "8MB");
    if (bytes < 1 || bytes > 1e12)
        throw Error(fmt::format("{} '{}': must be from 1 byte to 1000 GB", flag, text));
    return static_cast<std::int64_t>(bytes);
}

double parse_seconds(const char* flag, const std::string& text) {
    const double seconds = seconds_of(flag, text);
    if (seconds <= 0) throw Error(fmt::format("{} '{}': must be more than 0", flag, text));
    return seconds;
}

double parse_share(const char* flag, const std::string& text, double low, double high) {
    const bool percent = text.ends_with('%');
    const std::string digits = percent ? text.substr(0, text.size() - 1) : text;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (percent) value /= 100;
    if (error != std::errc() || end != digits.data() + digits.size() || !(value >= low) || !(value <= high))
        throw Error(fmt::format("{} '{}': must be a share from {} to {}, such as {}% or {}", flag,
                                printable(text), low, high, 100 * (low + high) / 2, (low + high) / 2));
    return value;
}

std::string json_text(const Json& json) {
    return printable_lines(json.dump(2));
}

std::string bytes_text(std::size_t bytes) {
    const auto b = static_cast<double>(bytes);
    if (b >= 1e9) return fmt::format("{:.2f} GB", b / 1e9);
    if (b >= 1e6) return fmt::format("{:.2f} MB", b / 1e6);
    if (b >= 1e3) return fmt::format("{:.1f} kB", b / 1e3);
    return fmt::format("{} bytes", bytes);
}

std::string names_text(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 6;
    if (names.empty()) return "no class";
    std::string text = counted(names.size(), "class", "classes") + " (";
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
        text += (i ? ", " : "") + printable(names[i]);
    return text + (names.size() > kShown ? ", ...)" : ")");
}

}  // namespace fearnet::cli
