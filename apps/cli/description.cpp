#include "description.hpp"

namespace fearnet::cli {
namespace {

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
    d.otherwise = option.get_default_str();
    d.required = option.get_required();
    return d;
}

CommandDescription described(const CLI::App& app, const std::string& name) {
    CommandDescription command{name, app.get_description(), app.get_group(), app.get_footer(), {}};
    for (const CLI::Option* option : app.get_options())
        if (!option->get_group().empty()) command.options.push_back(described(*option));
    return command;
}

}  // namespace

std::vector<CommandDescription> describe(const CLI::App& program) {
    std::vector<CommandDescription> all{described(program, "")};
    for (const CLI::App* command :
         program.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); }))
        all.push_back(described(*command, command->get_name()));
    return all;
}

}  // namespace fearnet::cli
