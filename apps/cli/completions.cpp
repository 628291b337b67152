// Completions for bash, zsh and fish: commands, options, and values where they are few. Other words are
// files.
#include <fmt/format.h>

#include "description.hpp"

namespace fearnet::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
    return all;
}

std::vector<std::string> command_names(const std::vector<CommandDescription>& all) {
    std::vector<std::string> names;
    for (const CommandDescription& c : all)
        if (!c.name.empty()) names.push_back(c.name);
    return names;
}

// What stands in a word without a name: the values of the first such argument, or commands for "help" and
// "man".
std::vector<std::string> words_of(const CommandDescription& command,
                                  const std::vector<CommandDescription>& all) {
    if (command.name == "help") return command_names(all);
    for (const OptionDescription& o : command.options)
        if (o.positional && o.name == "COMMAND") return command_names(all);
    for (const OptionDescription& o : command.options)
        if (o.positional && !o.choices.empty()) return o.choices;
    return {};
}

std::vector<std::string> option_names(const CommandDescription& command) {
    std::vector<std::string> names;
    for (const OptionDescription& o : command.options)
        if (!o.positional) names.push_back(o.name);
    return names;
}

// Text for inside single quotes, of zsh and of fish; `special` characters get a backslash. A quote ends the
// quoted text, stands escaped, and starts quoted text anew.
std::string quotable(const std::string& text, const std::string& special) {
    std::string out;
    for (const char c : text) {
        if (special.find(c) != special.npos) out += '\\';
        out += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return out;
}

}  // namespace

std::string bash_completions(const std::vector<CommandDescription>& all) {
    std::string cases, values;
    for (const CommandDescription& c : all) {
        if (c.name.empty()) continue;
        cases += fmt::format("        {}) options='{}' words='{}' ;;\n", c.name, joined(option_names(c)),
                             joined(words_of(c, all)));
        for (const OptionDescription& o : c.options)
            if (!o.value.empty())
                values += fmt::format("        '{} {}') words='{}' value=1 ;;\n", c.name, o.name,
                                      joined(o.choices));
    }
    return fmt::format(R"(# bash completion for fearnet, made by 'fearnet completions bash'
_fearnet() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} options='' words='' value=''
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W '{} {}' -- "$current"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
{}    esac
    case "${{COMP_WORDS[1]}} $before" in
{}    esac
    if [[ $current == -* && -z $value ]]; then words=$options; fi
    # Without words bash completes the names of files.
    if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current")); fi
}}
complete -o bashdefault -o default -F _fearnet fearnet
)",
                       joined(command_names(all)), joined(option_names(all.front())), cases, values);
}

std::string zsh_completions(const std::vector<CommandDescription>& all) {
    std::string commands, options, cases;
    for (const OptionDescription& o : all.front().options)
        if (!o.positional) options += fmt::format("        '{}:{}'\n", o.name, quotable(o.text, "\\:"));
    for (const CommandDescription& c : all) {
        if (c.name.empty()) continue;
        commands += fmt::format("        '{}:{}'\n", c.name, quotable(c.summary, "\\:"));
        std::string specs;
        for (const OptionDescription& o : c.options) {
            if (o.positional) continue;
            specs += fmt::format(" \\\n                '{}{}[{}]", o.repeatable ? "*" : "", o.name,
                                 quotable(o.text, "\\[]:"));
            if (!o.value.empty())
                specs += fmt::format(":{}:{}", quotable(o.value, "\\:"),
                                     o.choices.empty() ? "_files" : "(" + joined(o.choices) + ")");
            specs += "'";
        }
        const std::vector<std::string> words = words_of(c, all);
        cases += fmt::format(
            "        {})\n            _arguments{} \\\n                '*:argument:{}'\n            ;;\n",
            c.name, specs, words.empty() ? "_files" : "(" + joined(words) + ")");
    }
    return fmt::format(R"(#compdef fearnet
# zsh completion for fearnet, made by 'fearnet completions zsh'
_fearnet() {{
    local -a commands=(
{}    ) options=(
{}    )
    if ((CURRENT == 2)); then
        local -i ret=1
        _describe -t commands command commands && ret=0
        _describe -o -t options option options && ret=0
        return ret
    fi
    shift words
    ((CURRENT--))
    case $words[1] in
{}    esac
}}
_fearnet "$@"
)",
                       commands, options, cases);
}

std::string fish_completions(const std::vector<CommandDescription>& all) {
    std::string out = R"(# fish completion for fearnet, made by 'fearnet completions fish'
# Whether the first word after fearnet is $argv[1]: later words can be names of classes or files.
function __fish_fearnet_command
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]
end
)";
    for (const OptionDescription& o : all.front().options)
        if (o.name.starts_with("--"))
            out += fmt::format("complete -c fearnet -n __fish_use_subcommand -l {} -d '{}'\n",
                               o.name.substr(2), quotable(o.text, "\\"));
    for (const CommandDescription& c : all) {
        if (c.name.empty()) continue;
        out += fmt::format("complete -c fearnet -n __fish_use_subcommand -f -a {} -d '{}'\n", c.name,
                           quotable(c.summary, "\\"));
        const std::string when = fmt::format("complete -c fearnet -n '__fish_fearnet_command {}'", c.name);
        if (const auto words = words_of(c, all); !words.empty())
            out += fmt::format("{} -f -a '{}'\n", when, joined(words));
        for (const OptionDescription& o : c.options) {
            if (!o.name.starts_with("--")) continue;
            const std::string value = o.value.empty()     ? ""
                                      : o.choices.empty() ? " -r -F"
                                                          : " -x -a '" + joined(o.choices) + "'";
            out += fmt::format("{} -l {}{} -d '{}'\n", when, o.name.substr(2), value, quotable(o.text, "\\"));
        }
    }
    return out;
}

}  // namespace fearnet::cli
