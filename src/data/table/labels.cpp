#include "data/table/labels.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "fearnet/error.hpp"

namespace fearnet {
namespace {

using Numbers = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

bool read_whole(const std::string& text, std::int64_t& value) {
    const char *first = text.data(), *last = first + text.size();
    if (const auto [end, error] = std::from_chars(first, last, value); error == std::errc() && end == last)
        return true;
    double wide = 0;
    const auto [end, error] = std::from_chars(first, last, wide);
    if (error != std::errc() || end != last || !(std::abs(wide) < 0x1p53) || wide != std::floor(wide))
        return false;
    value = static_cast<std::int64_t>(wide);
    return true;
}

// All parts as numbers when every text is a whole number.
bool texts_as_numbers(std::vector<RawLabels>& parts) {
    std::vector<RawLabels> converted;
    for (const RawLabels& part : parts) {
        Numbers numbers;
        for (const std::string& text : std::get<Texts>(part))
            if (!read_whole(text, numbers.emplace_back())) return false;
        converted.emplace_back(std::move(numbers));
    }
    parts = std::move(converted);
    return true;
}

template <class Value>
std::vector<Value> distinct(const std::vector<RawLabels>& parts) {
    std::set<Value> all;
    for (const RawLabels& part : parts)
        all.insert(std::get<std::vector<Value>>(part).begin(), std::get<std::vector<Value>>(part).end());
    return {all.begin(), all.end()};
}

template <class Value>
void assign_ids(const std::vector<RawLabels>& parts, const std::vector<Value>& order, MappedLabels& result) {
    for (const RawLabels& part : parts) {
        std::vector<ClassId>& ids = result.parts.emplace_back();
        for (const Value& label : std::get<std::vector<Value>>(part))
            ids.push_back(ClassId(std::lower_bound(order.begin(), order.end(), label) - order.begin()));
    }
}

void check_names(const Texts& names, const std::string& what) {
    std::set<std::string> seen;
    for (const std::string& name : names) {
        if (const std::string problem = name_problem(name); !problem.empty())
            throw Error(what + ": the class name '" + name.substr(0, kMaxNameBytes) + "' " + problem);
        if (!seen.insert(name).second) throw Error(what + ": two classes are called '" + name + "'");
    }
}

}  // namespace

MappedLabels map_labels(std::vector<RawLabels> parts, const std::vector<std::string>& class_names,
                        const std::string& what) {
    const auto is_text = [](const RawLabels& part) { return std::holds_alternative<Texts>(part); };
    const bool text = std::any_of(parts.begin(), parts.end(), is_text);
    if (text && !std::all_of(parts.begin(), parts.end(), is_text))
        throw Error(what + ": the labels are numbers in one part and text in the other");

    MappedLabels result;
    if (text && !texts_as_numbers(parts)) {
        result.names = distinct<std::string>(parts);
        assign_ids(parts, result.names, result);
    } else {
        const Numbers values = distinct<std::int64_t>(parts);
        const bool named = !values.empty() && values.front() >= 0 &&
                           values.back() < static_cast<std::int64_t>(class_names.size());
        for (const std::int64_t value : values)
            result.names.push_back(named ? class_names[static_cast<std::size_t>(value)]
                                         : std::to_string(value));
        assign_ids(parts, values, result);
    }
    check_names(result.names, what);
    return result;
}

RawLabels labels_from(const io::Array& array) {
    if (array.is_text()) return io::to_strings(array);
    return io::to_integers(array);
}

}  // namespace fearnet
