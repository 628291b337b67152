#include "fearnet/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace fearnet {
namespace {

std::string_view trim(std::string_view s) {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    return s;
}

[[noreturn]] void refuse(const std::string& name, std::string_view value, const std::string& allowed) {
    throw Error("option " + name + "=" + std::string(value) + ": not one of " + allowed);
}

std::string to_text(double v) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
    return {buffer, end};
}
std::string to_text(std::int64_t v) {
    return std::to_string(v);
}

// Reads "2048", "1e-3", "0.25"; nothing may follow the number.
template <class T>
bool read_number(std::string_view text, T& out) {
    text = trim(text);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

template <class T>
std::string range_text(T low, T high) {
    return to_text(low) + " .. " + to_text(high);
}

template <class T>
OptionText scalar(const char* name, T& field, const char* help, T low, T high) {
    const std::string allowed = range_text(low, high);
    return {name, to_text(field), allowed, help,
            [name = std::string(name), &field, allowed, low, high](auto text) {
                T value{};
                if (!read_number(text, value) || !(value >= low && value <= high))
                    refuse(name, text, allowed);
                field = value;
            }};
}

template <class T>
OptionText list(const char* name, std::vector<T>& field, const char* help, T low, T high) {
    const std::string allowed = "comma-separated numbers, each " + range_text(low, high);
    std::string value;
    for (const T& v : field) value += (value.empty() ? "" : ",") + to_text(v);
    return {name, value, allowed, help, [name = std::string(name), &field, allowed, low, high](auto text) {
                std::vector<T> values;
                for (std::string_view rest = text;;) {
                    const std::size_t comma = rest.find(',');
                    T v{};
                    if (!read_number(rest.substr(0, comma), v) || !(v >= low && v <= high))
                        refuse(name, text, allowed);
                    values.push_back(v);
                    if (comma == std::string_view::npos) break;
                    rest.remove_prefix(comma + 1);
                }
                field = values;
            }};
}

}  // namespace

void OptionVisitor::option(const char* name, bool& field, const char* help) {
    options.push_back({name, field ? "true" : "false", "true | false", help,
                       [name = std::string(name), &field](std::string_view text) {
                           const std::string_view t = trim(text);
                           if (t == "true" || t == "1" || t == "on" || t == "yes")
                               field = true;
                           else if (t == "false" || t == "0" || t == "off" || t == "no")
                               field = false;
                           else
                               refuse(name, text, "true | false");
                       }});
}

void OptionVisitor::option(const char* name, double& field, const char* help, double low, double high) {
    options.push_back(scalar(name, field, help, low, high));
}

void OptionVisitor::option(const char* name, std::int64_t& field, const char* help, std::int64_t low,
                           std::int64_t high) {
    options.push_back(scalar(name, field, help, low, high));
}

void OptionVisitor::option(const char* name, std::vector<std::int64_t>& field, const char* help,
                           std::int64_t low, std::int64_t high) {
    options.push_back(list(name, field, help, low, high));
}

void OptionVisitor::option(const char* name, std::vector<double>& field, const char* help, double low,
                           double high) {
    options.push_back(list(name, field, help, low, high));
}

void OptionVisitor::choice(const char* name, int value, const char* help,
                           std::initializer_list<const char*> names, std::function<void(int)> assign) {
    std::vector<std::string> all(names.begin(), names.end());
    std::string allowed;
    for (const std::string& n : all) allowed += (allowed.empty() ? "" : " | ") + n;
    options.push_back({name, all.at(static_cast<std::size_t>(value)), allowed, help,
                       [name = std::string(name), all, allowed, assign](std::string_view text) {
                           const auto it = std::find(all.begin(), all.end(), trim(text));
                           if (it == all.end()) refuse(name, text, allowed);
                           assign(static_cast<int>(it - all.begin()));
                       }});
}

void set_options(std::vector<OptionText> options,
                 const std::vector<std::pair<std::string, std::string>>& values) {
    for (const auto& assignment : values) {
        const std::string& name = assignment.first;
        const std::string& value = assignment.second;
        const auto it =
            std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.name == name; });
        if (it == options.end()) {
            std::vector<std::string> names;
            for (const OptionText& o : options) names.push_back(o.name);
            throw Error("option " + name + ": no such option" +
                        (names.empty() ? "" : "; did you mean " + most_similar(names, name) + "?") +
                        " ('fearnet options' lists them, with --learner NAME those of that learner)");
        }
        it->parse(value);
    }
}

std::pair<std::string, std::string> split_assignment(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
        throw Error("option '" + std::string(text) + "': expected name=value");
    return {std::string(trim(text.substr(0, equals))), std::string(text.substr(equals + 1))};
}

}  // namespace fearnet
