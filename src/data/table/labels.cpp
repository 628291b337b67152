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

template <class Value>
std::vector<Value> distinct(const std::vector<Value>& labels) {
    const std::set<Value> all(labels.begin(), labels.end());
    return {all.begin(), all.end()};
}

template <class Value>
std::vector<ClassId> ids_of(const std::vector<Value>& labels, const std::vector<Value>& order) {
    std::vector<ClassId> ids;
    ids.reserve(labels.size());
    for (const Value& label : labels)
        ids.push_back(ClassId(std::lower_bound(order.begin(), order.end(), label) - order.begin()));
    return ids;
}

// Every number needs a name: a class called by its number would be another class.
void check_named(const Numbers& labels, const Texts& class_names, const std::string& what) {
    for (std::size_t i = 0; !class_names.empty() && i < labels.size(); ++i)
        if (labels[i] < 0 || labels[i] >= static_cast<std::int64_t>(class_names.size()))
            throw Error(what + ": row " + std::to_string(i) + " has label " + std::to_string(labels[i]) +
                        " but 'names' has " + std::to_string(class_names.size()) +
                        ", for labels from 0 on; add the others, or leave 'names' out");
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

RawLabels labels_from(const io::Array& array) {
    if (array.is_text()) return io::to_strings(array);
    return io::to_integers(array);
}

std::size_t count(const RawLabels& labels) {
    return std::visit([](const auto& l) { return l.size(); }, labels);
}

RawLabels slice(const RawLabels& labels, std::size_t first, std::size_t n) {
    return std::visit(
        [&](const auto& l) -> RawLabels {
            const auto start = l.begin() + static_cast<std::ptrdiff_t>(first);
            return std::decay_t<decltype(l)>(start, start + static_cast<std::ptrdiff_t>(n));
        },
        labels);
}

void append(RawLabels& labels, RawLabels more, const std::string& what) {
    if (count(more) == 0) return;
    if (count(labels) == 0) {
        labels = std::move(more);
        return;
    }
    if (labels.index() != more.index())
        throw Error(what + ": the labels are numbers in one part and text in the other");
    std::visit(
        [&](auto& l) {
            auto& added = std::get<std::decay_t<decltype(l)>>(more);
            l.insert(l.end(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
        },
        labels);
}

void as_numbers_if_whole(RawLabels& labels) {
    const Texts* texts = std::get_if<Texts>(&labels);
    if (texts == nullptr) return;
    Numbers numbers;
    for (const std::string& text : *texts)
        if (!read_whole(text, numbers.emplace_back())) return;
    labels = std::move(numbers);
}

MappedLabels map_labels(RawLabels labels, const std::vector<std::string>& class_names,
                        const std::string& what) {
    MappedLabels result;
    if (const Texts* texts = std::get_if<Texts>(&labels)) {
        result.names = distinct(*texts);
        result.ids = ids_of(*texts, result.names);
    } else {
        const Numbers& numbers = std::get<Numbers>(labels);
        check_named(numbers, class_names, what);
        const Numbers values = distinct(numbers);
        for (const std::int64_t value : values)
            result.names.push_back(class_names.empty() ? std::to_string(value)
                                                       : class_names[static_cast<std::size_t>(value)]);
        result.ids = ids_of(numbers, values);
    }
    check_names(result.names, what);
    return result;
}

}  // namespace fearnet
