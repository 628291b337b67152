#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string_view>
#include <utility>

#include "commands.hpp"
#include "description.hpp"
#include "fearnet/error.hpp"
#include "fearnet/options.hpp"

namespace fearnet::cli {
namespace {

bool visible(const CLI::App* command) {
    return !command->get_group().empty();
}

// "{tsv,csv,jsonl}", as CLI::IsMember shows itself.
std::vector<std::string> choices_in(const std::string& type) {
    const std::size_t open = type.find('{'), close = type.find('}');
    if (open == type.npos || close == type.npos) return {};
    std::vector<std::string> choices(1);
    for (const char c : type.substr(open + 1, close - open - 1))
        if (c == ',')
            choices.emplace_back();
        else
            choices.back() += c;
    return choices;
}

OptionDescription described(const CLI::Option& option) {
    OptionDescription d;
    d.positional = option.get_lnames().empty() && option.get_snames().empty();
    d.name = d.positional                   ? option.get_name(true)
             : !option.get_lnames().empty() ? "--" + option.get_lnames().front()
                                            : "-" + option.get_snames().front();
    if (!option.get_lnames().empty() && !option.get_snames().empty())
        d.short_name = "-" + option.get_snames().front();
    const std::string type = option.get_type_name();
    if (!d.positional && option.get_items_expected_max() > 0) d.value = type.substr(0, type.find(':'));
    d.choices = choices_in(type);
    d.text = option.get_description();
    d.default_value = option.get_default_str();
    d.required = option.get_required();
    d.repeatable = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    return d;
}

CommandDescription described(const CLI::App& app, const std::string& name) {
    CommandDescription command{name, app.get_description(), app.get_group(), app.get_footer(), {}};
    for (const CLI::Option* option : app.get_options())
        if (!option->get_group().empty()) command.options.push_back(described(*option));
    return command;
}

}  // namespace

Option Option::required() {
    option_->required();
    return *this;
}

Option Option::value_name(const std::string& name) {
    option_->type_name(name);
    return *this;
}

Option Option::show_default() {
    option_->capture_default_str();
    return *this;
}

Option Option::repeatable() {
    option_->expected(1)->take_all();
    return *this;
}

Option Option::one_of(const std::vector<std::string>& choices) {
    option_->check(CLI::IsMember(choices));
    return *this;
}

Option Option::between(int low, int high) {
    option_->check(CLI::Range(low, high));
    return *this;
}

Option Command::option(const std::string& name, std::string& value, const std::string& text) {
    return Option(app_->add_option(name, value, text));
}

Option Command::option(const std::string& name, std::optional<std::string>& value, const std::string& text) {
    return Option(app_->add_option(name, value, text));
}

Option Command::option(const std::string& name, std::vector<std::string>& value, const std::string& text) {
    return Option(app_->add_option(name, value, text));
}

Option Command::option(const std::string& name, std::int64_t& value, const std::string& text) {
    return Option(app_->add_option(name, value, text));
}

Option Command::option(const std::string& name, std::size_t& value, const std::string& text) {
    return Option(app_->add_option(name, value, text));
}

void Command::flag(const std::string& name, bool& value, const std::string& text) {
    app_->add_flag(name, value, text);
}

void Command::flag(const std::string& name, std::function<void()> given, const std::string& text) {
    app_->add_flag_callback(name, std::move(given), text);
}

void Command::footer(const std::string& text) {
    app_->footer(text);
}

Program::Program(const std::string& summary, const std::string& version)
    : app_(std::make_unique<CLI::App>(summary, "fearnet")) {
    app_->set_version_flag("--version", "fearnet " + version);
    app_->get_formatter()->column_width(34);
}

Program::~Program() = default;

Command& Program::add_command(const std::string& name, const std::string& summary, const char* group) {
    CLI::App* app = app_->add_subcommand(name, summary)->group(group);
    return *commands_.emplace_back(std::make_unique<Command>(app));
}

std::vector<CommandDescription> Program::describe() const {
    std::vector<CommandDescription> all{described(*app_, "")};
    for (const CLI::App* command : std::as_const(*app_).get_subcommands(visible))
        all.push_back(described(*command, command->get_name()));
    return all;
}

std::vector<std::string> Program::command_names() const {
    std::vector<std::string> names;
    for (const CLI::App* command : std::as_const(*app_).get_subcommands(visible))
        names.push_back(command->get_name());
    return names;
}

std::string Program::unknown_command(const std::string& name) const {
    const std::string meant = most_similar(command_names(), name);
    const bool near = edit_distance(meant, name) <= std::max<std::size_t>(2, name.size() / 2);
    return "no command is called '" + name + "'; " + (near ? "did you mean '" + meant + "'? " : "") +
           "'fearnet --help' lists them";
}

// What was typed wrong, and where to read on.
std::string Program::explained(const std::string& problem, bool unexpected) const {
    const std::vector<CLI::App*> given = app_->get_subcommands();
    const CLI::App& command = given.empty() ? *app_ : *given.front();
    const std::string help = "; see 'fearnet " + (given.empty() ? "" : command.get_name() + " ") + "--help'";
    const std::vector<std::string> extra = command.remaining(true);
    if (!unexpected || extra.empty()) return problem + help;
    if (given.empty() && !extra[0].starts_with("-")) return unknown_command(extra[0]);
    std::string all;
    for (const std::string& argument : extra) all += (all.empty() ? "" : " ") + argument;
    return (given.empty() ? "" : command.get_name() + ": ") + "unexpected argument: " + all + help;
}

bool Program::parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the last one first
    try {
        app_->parse(std::move(arguments));
        return true;
    } catch (const CLI::Success& help_or_version) {
        app_->exit(help_or_version);
        return false;
    } catch (const CLI::ExtrasError& error) {
        throw Error(explained(error.what(), true));
    } catch (const CLI::ParseError& error) {
        throw Error(explained(error.what(), false));
    }
}

int Program::run(int argc, const char* const* argv, const std::string& footer) {
    app_->require_subcommand(0, 1);  // what follows a command may be called like one: 'man learn'
    app_->footer(footer);            // commands that are added later would take it over
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    if (!arguments.empty() && arguments[0] == "help") {  // "help learn" is "learn --help"
        const std::vector<std::string> names = command_names();
        if (argc > 2 && !arguments[1].starts_with('-') &&
            std::find(names.begin(), names.end(), arguments[1]) == names.end())
            throw Error(unknown_command(arguments[1]));
        arguments.erase(arguments.begin());
        arguments.resize(std::min<std::size_t>(arguments.size(), 1));
        arguments.push_back("--help");
    }
    if (!parse(std::move(arguments))) return kDone;
    for (const auto& command : commands_)
        if (command->app_->parsed() && command->action_) return command->action_();
    std::cout << app_->help();
    return kDone;
}

}  // namespace fearnet::cli
