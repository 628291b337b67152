// One description of every option: its name, default, range and meaning. `--set`, `--help`, the options page,
// saved learners and summary.json all come from it.
//
// An options struct describes itself:
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

using Settings = std::vector<std::pair<std::string, std::string>>;

// One option as text: what a user reads and writes.
struct OptionText {
    std::string name;
    std::string value;
    std::string allowed;  // "0 .. 1", "true | false", "full | diagonal", ...
    std::string help;
    std::function<void(std::string_view)> parse;  // throws Error; changes the field
};

// Values for some options under one name.
struct Preset {
    std::string name;
    Settings settings;
};

// The values of an option that a search tries, as text.
struct SearchRange {
    std::string option;
    std::vector<std::string> values;
};

// Collects an options struct into OptionTexts bound to its fields.
class OptionVisitor {
  public:
    void option(const char* name, bool& field, const char* help);
    void option(const char* name, double& field, const char* help, double low, double high);
    void option(const char* name, std::int64_t& field, const char* help, std::int64_t low, std::int64_t high);
    void option(const char* name, std::vector<std::int64_t>& field, const char* help, std::int64_t low,
                std::int64_t high);
    void option(const char* name, std::vector<double>& field, const char* help, double low, double high);
    // An enum: its values by name, in declaration order from 0.
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

template <class Options>
std::vector<OptionText> list_options(Options& options) {
    OptionVisitor visitor;
    options.describe(visitor);
    return std::move(visitor.options);
}

// Applies "name=value" pairs. All or nothing: on an unknown name, a value that cannot be read or one out of
// range, throws Error and leaves `options` as it was.
void set_options(std::vector<OptionText> options,
                 const std::vector<std::pair<std::string, std::string>>& values);

template <class Options>
void apply_options(Options& options, const std::vector<std::pair<std::string, std::string>>& values) {
    Options changed = options;
    set_options(list_options(changed), values);
    options = changed;
}

template <class Options>
std::map<std::string, std::string> options_as_text(Options options) {
    std::map<std::string, std::string> result;
    for (const OptionText& o : list_options(options)) result[o.name] = o.value;
    return result;
}

// "a=b" -> {"a", "b"}; throws Error when there is no '='.
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

// The name with the smallest distance; empty when there is none.
inline std::string most_similar(const std::vector<std::string>& names, std::string_view to) {
    const auto nearest = std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
        return edit_distance(a, to) < edit_distance(b, to);
    });
    return nearest == names.end() ? "" : *nearest;
}

}  // namespace fearnet
