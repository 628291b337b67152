#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "fearnet/brain.hpp"
#include "fearnet/registry.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

struct OptionsArguments {
    std::string learner;
    std::string preset;
    bool markdown = false;
};

// name = default  [allowed], the meaning below it.
void print_table(const std::vector<OptionText>& options) {
    const std::size_t width = std::min<std::size_t>(terminal_width(STDOUT_FILENO, 100), 110);
    std::size_t names = 0, values = 0;
    for (const OptionText& o : options) {
        names = std::max(names, o.name.size());
        values = std::max(values, std::min<std::size_t>(o.value.size(), 14));
    }
    for (const OptionText& o : options) {
        fmt::print("{:<{}}  {:<{}}  [{}]\n", o.name, names, o.value, values, o.allowed);
        for (const std::string& line : wrapped(o.help, width - 4)) fmt::print("    {}\n", line);
    }
}

std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
        text.insert(at, 1, '\\');
    return text;
}

// The default and, where a preset differs from it, the preset's value.
void print_markdown(const LearnerInfo& learner) {
    const std::vector<OptionText> defaults = learner_options(learner.name, "");
    fmt::print("\n## {}\n\n{}{}.\n\n", learner.name, static_cast<char>(std::toupper(learner.summary[0])),
               learner.summary.substr(1));
    if (defaults.empty()) {
        fmt::print("It has no options.\n");
        return;
    }
    std::string head = "| option | default |", rule = "|---|---|";
    std::vector<std::vector<OptionText>> presets;
    for (const std::string& preset : preset_names()) {
        presets.push_back(learner_options(learner.name, preset));
        head += " " + preset + " |";
        rule += "---|";
    }
    fmt::print("{} allowed | meaning |\n{}---|---|\n", head, rule);
    for (std::size_t i = 0; i < defaults.size(); ++i) {
        const OptionText& o = defaults[i];
        std::string row = fmt::format("| `{}` | {} |", o.name, cell(o.value));
        for (const auto& preset : presets)
            row += preset[i].value == o.value ? " |" : fmt::format(" {} |", cell(preset[i].value));
        fmt::print("{} {} | {} |\n", row, cell(o.allowed), cell(o.help));
    }
}

// The options page: every learner, or one.
void print_page(const std::string& only) {
    fmt::print(
        "# Options\n\nMade by `fearnet options --markdown`; do not edit.\n\n"
        "Set one with `--set name=value`, several with `--set` again. A preset's column shows only what it "
        "changes.\n");
    for (const LearnerInfo& learner : learners())
        if (only.empty() || only == learner.name) print_markdown(learner);
}

// Who learns, the options of FearNet and those of a brain.
void print_all(const std::vector<OptionText>& of_fearnet) {
    fmt::print("learners; --learner NAME lists the options of one:\n");
    std::size_t names = 0;
    for (const LearnerInfo& learner : learners()) names = std::max(names, learner.name.size());
    for (const LearnerInfo& learner : learners())
        fmt::print("    {:<{}}  {}\n", learner.name, names, learner.summary);
    fmt::print("\noptions of fearnet:\n");
    print_table(of_fearnet);
    fmt::print("\noptions of a brain, for 'fearnet new --set':\n");
    BrainSettings settings;
    print_table(list_options(settings));
}

}  // namespace

void add_options_command(Program& program) {
    const auto a = std::make_shared<OptionsArguments>();
    Command& command =
        program.add_command("options", "List the learners, and every option that --set takes", kMoreGroup);
    command.footer(
        "Each is shown with its default (or the preset's value), what is allowed and what it means.");
    command.option("--learner", a->learner,
                   "Whose options; fearnet's and the brain's, and with --markdown every learner's");
    command.option("--preset", a->preset, "Show this preset's values instead of the defaults");
    command.flag("--markdown", a->markdown, "As a page of documentation, with all presets side by side");
    command.run([a] {
        const std::vector<OptionText> options =
            learner_options(a->learner.empty() ? "fearnet" : a->learner, a->preset);
        if (a->markdown)
            print_page(a->learner);
        else if (!a->learner.empty())
            print_table(options);
        else
            print_all(options);
        return kDone;
    });
}

}  // namespace fearnet::cli
