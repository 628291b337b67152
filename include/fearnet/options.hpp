// Options that describe themselves. An options struct has a member template `describe` that passes each field
// with its name, meaning and range to a visitor. The command-line flags, the options page, saved learners and
// summary.json are all generated from that one description:
//
//     struct HippocampusOptions {
//         double epsilon = 1e-3;
//         template <class Visitor> void describe(Visitor& v) {
//             v.option("hippocampus.epsilon", epsilon, "Added to every distance (Eq. 2).", 1e-12, 10);
//         }
//     };
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fearnet/error.hpp"

namespace fearnet {

// (option name, value) pairs, as in {{"sleep.epochs", "20"}}.
using Settings = std::vector<std::pair<std::string, std::string>>;

// One option in text form, bound to the field it describes.
struct OptionText {
    std::string name;
    std::string value;                            // of the field when the options were listed
    std::string allowed;                          // "0 .. 1", "true | false", "full | diagonal", ...
    std::string help;                             // meaning, for people
    std::function<void(std::string_view)> parse;  // sets the field; throws Error if the text is not allowed
};

// A named set of option values.
struct Preset {
    std::string name;
    Settings settings;
};

// The values of one option that a hyperparameter search tries, as text.
struct SearchRange {
    std::string option;
    std::vector<std::string> values;
};

// The visitor that lists the options of a struct. Pass an OptionVisitor to describe, or call list_options.
class OptionVisitor {
  public:
    // `low` and `high` are inclusive; for lists they bound each element.
    void option(const char* name, bool& field, const char* help);
    void option(const char* name, double& field, const char* help, double low, double high);
    void option(const char* name, std::int64_t& field, const char* help, std::int64_t low, std::int64_t high);
    void option(const char* name, std::vector<std::int64_t>& field, const char* help, std::int64_t low,
                std::int64_t high);
    void option(const char* name, std::vector<double>& field, const char* help, double low, double high);
    // An enum. `names` are its values in declaration order; the values must be 0, 1, 2, ...
    template <class Enum>
    requires std::is_enum_v<Enum>
    void option(const char* name, Enum& field, const char* help, std::initializer_list<const char*> names) {
        choice(name, static_cast<int>(field), help, names, [&field](int i) { field = static_cast<Enum>(i); });
    }

    std::vector<OptionText> options;

  private:
    void choice(const char* name, int value, const char* help, std::initializer_list<const char*> names,
                std::function<void(int)> assign);
};

// The options of a struct. They refer to its fields, so `options` must outlive them.
template <class Options>
std::vector<OptionText> list_options(Options& options) {
    OptionVisitor visitor;
    options.describe(visitor);
    return std::move(visitor.options);
}

// Sets options by name. Throws Error for an unknown name and for a value that is malformed or out of range;
// settings before the bad one have then been applied.
void set_options(std::vector<OptionText> options,
                 const std::vector<std::pair<std::string, std::string>>& values);

// Sets options of a struct by name, all or nothing: if it throws Error, `options` is unchanged.
template <class Options>
void apply_options(Options& options, const std::vector<std::pair<std::string, std::string>>& values) {
    Options changed = options;
    set_options(list_options(changed), values);
    options = changed;
}

// Every option, name -> value.
template <class Options>
std::map<std::string, std::string> options_as_text(Options options) {
    std::map<std::string, std::string> result;
    for (const OptionText& o : list_options(options)) result[o.name] = o.value;
    return result;
}

// "a=b" -> {"a", "b"}, split at the first '='. Throws Error if there is no '=' or no name before it.
std::pair<std::string, std::string> split_assignment(std::string_view text);

// Levenshtein distance.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t up = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = up;
        }
    }
    return row.back();
}

// The one of `names` with the smallest edit distance to `to`; "" if there are no names.
inline std::string most_similar(const std::vector<std::string>& names, std::string_view to) {
    const auto nearest = std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
        return edit_distance(a, to) < edit_distance(b, to);
    });
    return nearest == names.end() ? "" : *nearest;
}

}  // namespace fearnet
