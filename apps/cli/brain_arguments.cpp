#include "brain_arguments.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "fearnet/base/threads.hpp"
#include "run_arguments.hpp"

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

}  // namespace

CLI::App* add_brain_subcommand(CLI::App& program, const char* name, const char* what, BrainArguments& a) {
    CLI::App* app = program.add_subcommand(name, what)->group(kEverydayGroup);
    app->add_option("BRAIN", a.brain, "The brain's file")->required();
    app->add_flag("--json", a.json, "Answer as JSON");
    app->add_flag("--quiet", a.quiet, "Show no progress");
    app->add_option("--threads", a.threads, "Threads to compute with")->type_name("N")->capture_default_str();
    return app;
}

Brain open_brain(const BrainArguments& a, BrainAccess access) {
    if (const auto threads = parse_threads(a.threads)) set_threads(*threads);
    return Brain::open(a.brain, access);
}

Rows rows_for(const Brain& brain, const BrainArguments& a, Part part, bool labels_count) {
    if (a.data.empty() == !a.text)
        throw Error(a.data.empty()
                        ? "DATA is missing: a file, a built-in data set, or --text for a brain of text"
                        : "DATA and --text: give one of them");
    Rows rows;
    if (a.text) {
        if (a.text->empty()) throw Error("--text: is empty; give the text to ask about");
        rows.x = brain.rows_of({*a.text});
    } else {
        if (is_text_file(a.data) && !brain.takes_text())
            throw Error(a.data +
                        ": text, but this brain learns from rows of numbers; 'fearnet new --features " +
                        "text:ngrams' makes one that takes text");
        RowsOptions options;
        options.load = load_options(a.reading);
        options.part = part;
        options.width = brain.width();
        options.labels = labels_count && a.label.empty();
        rows = load_rows(a.data, options);
    }
    if (brain.width() != 0 && rows.x.cols() != brain.width())
        throw Error(fmt::format("{}: rows have {} features but the brain takes {}", a.data, rows.x.cols(),
                                brain.width()));
    if (!a.label.empty()) rows.labels.assign(rows.x.rows(), a.label);
    return rows;
}

void say_what_was_read(const BrainArguments& a, const Rows& rows) {
    if (a.quiet) return;
    const auto counted = [](std::size_t n, const char* one, const char* many) {
        return fmt::format("{} {}", n, n == 1 ? one : many);
    };
    std::string labels = "no labels";
    if (!a.label.empty())
        labels = fmt::format("all of class '{}'", a.label);
    else if (!rows.labels.empty())
        labels = counted(std::set<std::string>(rows.labels.begin(), rows.labels.end()).size(), "class",
                         "classes") +
                 (rows.label_source.empty() ? "" : " from " + rows.label_source);
    fmt::print(stderr, "{}: {}, {}, {}\n", a.data.empty() ? "--text" : a.data,
               counted(rows.x.rows(), "row", "rows"), counted(rows.x.cols(), "feature", "features"), labels);
    say_warnings(a.data, rows.warnings);
}

Work::Work(const BrainArguments& a)
    : display_(a.quiet ? ProgressDisplay::Style::quiet : ProgressDisplay::fitting_style()) {}

Progress Work::progress() {
    return [this](const ProgressEvent& event) {
        const double total = event.total == 0 ? 1 : static_cast<double>(event.total);
        display_.update(static_cast<double>(event.done) / total, std::string(event.phase));
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
    static constexpr std::array<Unit, 6> kUnits{
        {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {"m", 60}, {"h", 3600}}};
    const double seconds = parse_with_unit(flag, text, kUnits, "30s");
    if (seconds <= 0) throw Error(fmt::format("{} '{}': must be longer than nothing", flag, text));
    return seconds;
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
    std::string text = fmt::format("{} class{} (", names.size(), names.size() == 1 ? "" : "es");
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i ? ", " : "") + names[i];
    return text + (names.size() > kShown ? ", ...)" : ")");
}

}  // namespace fearnet::cli
