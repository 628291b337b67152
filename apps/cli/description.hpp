// The commands and options as data (Program::describe), for manual pages and completions.
#pragma once

#include <string>
#include <vector>

namespace fearnet::cli {

struct OptionDescription {
    std::string name;                  // "--top", or "DATA" for what has no name
    std::string short_name;            // "-h"; empty without one
    std::string value;                 // "N", "FILE"; empty for a flag
    std::string text;                  // what it does
    std::string default_value;         // its default; empty without one
    std::vector<std::string> choices;  // all values it takes, when they are few
    bool positional = false;
    bool required = false;
    bool repeatable = false;  // each use adds a value
};

struct CommandDescription {
    std::string name;  // "learn"; "" is the program itself
    std::string summary;
    std::string group;
    std::string footer;  // paragraphs, and examples behind a line "Examples:"
    std::vector<OptionDescription> options;
};

// manual.cpp: the page "fearnet" or "fearnet-COMMAND" for man(1), from the descriptions of all.
std::string manual_page(const CommandDescription& command, const std::vector<CommandDescription>& all,
                        const std::string& version);

// completions.cpp
std::string bash_completions(const std::vector<CommandDescription>& all);
std::string zsh_completions(const std::vector<CommandDescription>& all);
std::string fish_completions(const std::vector<CommandDescription>& all);

}  // namespace fearnet::cli
