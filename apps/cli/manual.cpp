// Manual pages in the man(7) macros.
#include <fmt/format.h>

#include "description.hpp"

namespace fearnet::cli {
namespace {

// Text as roff shows it unchanged.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '\\':
                out += "\\e";
                break;
            case '-':
                out += "\\-";
                break;
            case '\'':
                out += "\\(aq";
                break;
            case '`':
                out += "\\(ga";
                break;
            case '^':
                out += "\\(ha";
                break;
            case '~':
                out += "\\(ti";
                break;
            default:
                out += c;
        }
    }
    return out.starts_with('.') ? "\\&" + out : out;
}

// Paragraphs; lines that begin with a blank stay as they are.
std::string paragraphs(const std::string& text) {
    std::string out;
    bool literal = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        const bool indented = line.starts_with(' ');
        if (indented != literal) out += indented ? ".PP\n.nf\n" : ".fi\n";
        literal = indented;
        out += line.empty() ? ".PP\n" : escaped(line) + "\n";
    }
    return out + (literal ? ".fi\n" : "");
}

std::string full_name(const CommandDescription& command) {
    return command.name.empty() ? "fearnet" : "fearnet-" + command.name;
}

std::string synopsis(const CommandDescription& command) {
    std::string line = command.name.empty() ? "\\fBfearnet\\fR \\fICOMMAND\\fR"
                                            : "\\fBfearnet " + escaped(command.name) + "\\fR";
    for (const OptionDescription& o : command.options)
        if (o.positional)
            line += o.required ? " \\fI" + escaped(o.name) + "\\fR" : " [\\fI" + escaped(o.name) + "\\fR]";
    return line + " [\\fIOPTIONS\\fR]\n";
}

std::string option_list(const CommandDescription& command) {
    std::string out;
    for (const OptionDescription& o : command.options) {
        out += fmt::format(".TP\n\\f{}{}\\fR", o.positional ? 'I' : 'B', escaped(o.name));
        if (!o.short_name.empty()) out += ", \\fB" + escaped(o.short_name) + "\\fR";
        if (!o.value.empty()) out += " \\fI" + escaped(o.value) + "\\fR";
        out += "\n" + escaped(o.text);
        if (!o.choices.empty()) {
            out += " (";
            for (std::size_t i = 0; i < o.choices.size(); ++i) out += (i ? ", " : "") + escaped(o.choices[i]);
            out += ")";
        }
        out += o.default_value.empty() ? ".\n" : fmt::format(". Default: {}.\n", escaped(o.default_value));
    }
    return out;
}

}  // namespace

std::string manual_page(const CommandDescription& command, const std::vector<CommandDescription>& all,
                        const std::string& version) {
    std::string upper = full_name(command);
    for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    std::string page =
        fmt::format(".TH {} 1 \"\" \"fearnet {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", escaped(upper),
                    version, escaped(full_name(command)), escaped(command.summary));
    page += ".SH SYNOPSIS\n" + synopsis(command);
    const std::size_t examples = std::min(command.footer.find("Examples:\n"), command.footer.size());
    if (const std::string text = command.footer.substr(0, examples); !text.empty())
        page += ".SH DESCRIPTION\n" + paragraphs(text.substr(0, text.find_last_not_of('\n') + 1));
    page += ".SH OPTIONS\n" + option_list(command);
    if (command.name.empty()) {
        page += ".SH COMMANDS\n";
        for (const CommandDescription& c : all)
            if (!c.name.empty())
                page += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", escaped(c.name), escaped(c.summary));
    }
    if (examples < command.footer.size())
        page += ".SH EXAMPLES\n" + paragraphs(command.footer.substr(command.footer.find('\n', examples) + 1));
    page +=
        ".SH \"EXIT STATUS\"\n0: done. 1: an unexpected error. 2: bad input. 3: some results are missing. "
        "130: interrupted.\n";
    page += command.name.empty() ? "" : ".SH \"SEE ALSO\"\n.BR fearnet (1)\n";
    return page;
}

}  // namespace fearnet::cli
