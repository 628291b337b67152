#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "commands.hpp"
#include "everyday/brain_arguments.hpp"
#include "fearnet/error.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

std::string place_of(const BrainInfo::Class& c) {
    if (c.recent && c.consolidated) return "recent and consolidated";
    return c.recent ? "recent" : "consolidated";
}

// A line for every class whose examples no longer look like those taught.
void print_changes(const BrainInfo& info) {
    const auto line = [](const BrainInfo::Class& c, const std::optional<ClassDrift>& d, const char* which,
                         const char* what) {
        constexpr double kLeast = 1e-4;
        if (!d || !d->changed) return;
        fmt::print("{} of '{}' since {} look less familiar (p {} {:.1g}): {}\n", which, printable(c.name),
                   printable(d->since.substr(0, 10)), d->p_value < kLeast ? "<" : "=",
                   std::max(kLeast, d->p_value), what);
    };
    for (const BrainInfo::Class& c : info.classes) {
        line(c, c.predicted, "examples", "teach it again");
        line(c, c.taught_again, "taught examples", "its look has changed; teach more examples of today");
    }
}

using Accuracies = std::map<std::string, double>;  // expected, by class name

void print_memory(const BrainInfo& info) {
    std::string parts;
    for (const auto& [kind, bytes] : info.memory)
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", kind, bytes_text(bytes));
    fmt::print("memory    {} ({})", bytes_text(apps::total_bytes(info.memory)), parts);
    const auto budget = info.options.find("memory.budget");
    if (budget != info.options.end() && budget->second != "0")
        fmt::print("; budget {}", bytes_text(std::stoull(budget->second)));
    fmt::print("\nfile      {}\n", bytes_text(info.file_bytes));
}

void print_classes(const BrainInfo& info, const Accuracies& expected) {
    std::size_t width = 5;
    for (const BrainInfo::Class& c : info.classes) width = std::max(width, display_width(c.name));
    fmt::print("\n{}  examples  {}memory\n", fitted("class", width, width),
               expected.empty() ? "" : "expected accuracy  ");
    for (const BrainInfo::Class& c : info.classes) {
        const auto it = expected.find(c.name);
        const std::string accuracy = it != expected.end() ? fmt::format("{:.0f} %", 100 * it->second) : "?";
        fmt::print("{}  {:8}  {}{}{}\n", fitted(c.name, width, width), c.examples,
                   expected.empty() ? "" : fmt::format("{:>17}  ", accuracy), place_of(c),
                   c.parts > 1 ? fmt::format(", merged from {}", c.parts) : "");
    }
    if (expected.empty()) return;
    double sum = 0;
    for (const auto& [name, accuracy] : expected) sum += accuracy;
    fmt::print("{}  {:8}  {:>17}\n", fitted("mean", width, width), "",
               fmt::format("{:.1f} %", 100 * sum / static_cast<double>(expected.size())));
}

void print(const BrainInfo& info, const Accuracies& expected, const std::string& brain) {
    constexpr std::size_t kHistory = 8;
    fmt::print("{}: learner {}, {}, {} per row\n", brain, info.learner,
               counted(info.classes.size(), "class", "classes"), counted(info.width, "feature", "features"));
    if (!info.front_end.name.empty())
        fmt::print("input     {} ({})\n", printable(info.front_end.name),
                   printable(info.front_end.fingerprint));
    print_memory(info);
    fmt::print("sleep     {}\n",
               info.sleep_due
                   ? "due: " + *info.sleep_due
                   : "not due; " +
                         counted(static_cast<std::size_t>(info.sessions_since_sleep), "session", "sessions") +
                         " since the last sleep");
    print_changes(info);
    if (!info.classes.empty()) print_classes(info, expected);
    fmt::print("\nhistory{}\n", info.history.size() > kHistory
                                    ? fmt::format(" (the last {} of {})", kHistory, info.history.size())
                                    : "");
    for (std::size_t i = info.history.size() - std::min(kHistory, info.history.size());
         i < info.history.size(); ++i) {
        const HistoryEntry& h = info.history[i];
        fmt::print(
            "  {}  {:<7}{}{}\n", h.time, h.action,
            h.examples > 0 ? counted(static_cast<std::size_t>(h.examples), "example: ", "examples: ") : "",
            h.detail);
    }
}

int info(const BrainArguments& a) {
    const Brain brain = open_brain(a, BrainAccess::read);
    const BrainInfo info = brain.info();
    const Accuracies expected = brain.expected_accuracy();
    if (a.json)
        fmt::print("{}\n", json_text(as_json(info, expected)));
    else
        print(info, expected, printable(a.brain));
    return kDone;
}

int check(const BrainArguments& a) {
    const std::vector<std::string> problems = check_brain(a.brain, lock_timeout(a));
    if (a.json)
        fmt::print("{}\n", json_text({{"intact", problems.empty()}, {"problems", problems}}));
    else if (problems.empty())
        fmt::print("{}: intact; every checksum matches\n", printable(a.brain));
    else
        for (const std::string& problem : problems) fmt::print("{}\n", problem);
    if (problems.empty()) return kDone;
    throw Error(fmt::format("{}: {} found", a.brain, counted(problems.size(), "problem", "problems")));
}

}  // namespace

void add_info_command(Program& program) {
    const auto a = std::make_shared<BrainArguments>();
    Command& command =
        add_brain_command(program, "info", "Show classes, memory, history and whether sleep is due", *a);
    command.footer(
        "The expected accuracy of a class is the share of new rows of it that will be classified correctly,\n"
        "among all classes of today. Learner fearnet-plus estimates it, from a class's examples while they "
        "are\n"
        "there, and from what it keeps of them after sleep. ? means unknown: a class of one example, or one "
        "whose\n"
        "examples the memory budget removed before a sleep.\n\n"
        "A line is added for every class whose examples look less familiar than those taught: rows that\n"
        "'fearnet predict --track' recorded, and rows that were taught to a known class. The chance of such "
        "a "
        "line\n"
        "is at most 1 % if nothing has changed.\n\n"
        "Examples:\n  fearnet info birds.brain\n  fearnet info birds.brain --json");
    command.run([a] { return info(*a); });
}

void add_check_command(Program& program) {
    const auto a = std::make_shared<BrainArguments>();
    Command& command =
        add_brain_command(program, "check", "Verify every checksum and invariant of a brain", *a);
    command.footer("Prints one line per problem. Exit codes: 0 intact, 2 damaged.");
    command.run([a] { return check(*a); });
}

}  // namespace fearnet::cli
