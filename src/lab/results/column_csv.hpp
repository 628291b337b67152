// Lines of a CSV file by their columns, and back.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "data/io/csv_lines.hpp"
#include "fearnet/error.hpp"
#include "lab/results/columns.hpp"

namespace fearnet::lab {

// RFC 4180: quoted when it has to be, quotes doubled.
inline std::string csv_text(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

inline std::uint64_t& seed_of(ResultRun& run) {
    return run.record.seed;
}
inline std::uint64_t& seed_of(ResultSession& session) {
    return session.seed;
}

// Scores and accuracies with six decimals, or with as many digits as it takes to read the same double back.
enum class Decimals { six, all };

template <class Line>
std::string csv_field(const Column<Line>& column, Line& line, Decimals decimals) {
    if (column.unit == Unit::text) return csv_text(column.text(line));
    if (column.unit == Unit::seed) return std::to_string(seed_of(line));
    const std::optional<double> value = column.get(line.record);
    if (!value) return "";
    if (column.unit == Unit::count || column.unit == Unit::flag || column.unit == Unit::bytes)
        return fmt::format("{:.0f}", *value);
    return decimals == Decimals::six ? fmt::format("{:.6f}", *value) : fmt::format("{}", *value);
}

template <class Line>
bool is_in_file(const Column<Line>& column) {
    return column.get == nullptr || column.set != nullptr;
}

// The columns that a file with these lines has.
template <class Line>
std::vector<Column<Line>> columns_in_file(const std::vector<Column<Line>>& all,
                                          const std::vector<Line>& lines) {
    const auto has_value = [&](const Column<Line>& column) {
        return std::any_of(lines.begin(), lines.end(),
                           [&](const Line& line) { return column.get(line.record).has_value(); });
    };
    const bool with_optional = std::any_of(all.begin(), all.end(), [&](const Column<Line>& column) {
        return column.optional && has_value(column);
    });
    std::vector<Column<Line>> columns;
    for (const Column<Line>& column : all)
        if (is_in_file(column) && (with_optional || !column.optional)) columns.push_back(column);
    return columns;
}

template <class Line>
std::string csv_of(const std::vector<Column<Line>>& all, std::vector<Line> lines,
                   Decimals decimals = Decimals::six) {
    const std::vector<Column<Line>> columns = columns_in_file(all, lines);
    std::string out;
    const auto add_line = [&](const auto& field) {
        const char* before = "";
        for (const Column<Line>& column : columns) out += before + field(column), before = ",";
        out += "\n";
    };
    add_line([](const Column<Line>& column) { return std::string(column.name); });
    for (Line& line : lines)
        add_line([&](const Column<Line>& column) { return csv_field(column, line, decimals); });
    return out;
}

template <class Number>
bool read_whole(const std::string& field, Number& value) {
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    return error == std::errc() && stop == end && !field.empty();
}

// Throws Error saying what was expected.
template <class Line>
void read_field(const std::string& field, const Column<Line>& column, Line& line) {
    if (column.unit == Unit::text) {
        column.text(line) = field;
    } else if (column.unit == Unit::seed) {
        if (!read_whole(field, seed_of(line))) throw Error("expected a whole number, found '" + field + "'");
    } else if (field.empty() && (column.unit == Unit::score || column.unit == Unit::accuracy)) {
        column.set(line.record, std::numeric_limits<double>::quiet_NaN());
    } else {
        double value = 0;
        if (!read_whole(field, value) || !std::isfinite(value) || value < 0)
            throw Error("expected a number from 0 on, found '" + field + "'");
        const bool whole = column.unit == Unit::count || column.unit == Unit::bytes;
        if (whole && (value != std::floor(value) || value > 9e15))
            throw Error("expected a whole number, found '" + field + "'");
        if (column.unit == Unit::flag && value != 0 && value != 1)
            throw Error("expected 0 or 1, found '" + field + "'");
        column.set(line.record, value);
    }
}

// Calls `use(line, lines)` for every line behind the header; `lines.fail` names the place. Throws Error with
// file and line for another header, another number of columns, a field that is not what it should be and a
// text that ends within a line.
template <class Line, class Use>
void for_each_csv_line(const std::vector<Column<Line>>& all, std::string_view text, const std::string& what,
                       const Use& use) {
    std::vector<Column<Line>> columns;
    for (const Column<Line>& column : all)
        if (is_in_file(column)) columns.push_back(column);
    io::CsvLines lines(text, what);
    std::vector<std::string> fields;
    const auto check_count = [&] {
        if (fields.size() != columns.size())
            lines.fail(fmt::format("expected {} columns, found {}", columns.size(), fields.size()));
    };
    if (!lines.next(fields)) throw Error(what + ": the file is empty; expected a header line");
    // Files without optional columns, and files from before the last of these were added.
    while (columns.size() > fields.size() && columns.back().optional) columns.pop_back();
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (i >= fields.size() || fields[i] != columns[i].name)
            lines.fail(
                fmt::format("column {} should be '{}' but is {}; is this a result file of 'fearnet paper'?",
                            i + 1, columns[i].name, i < fields.size() ? "'" + fields[i] + "'" : "missing"));
    check_count();
    while (lines.next(fields)) {
        check_count();
        Line line;
        for (std::size_t i = 0; i < fields.size(); ++i) try {
                read_field(fields[i], columns[i], line);
            } catch (const Error& error) {
                lines.fail(fmt::format("column {} ('{}'): {}", i + 1, columns[i].name, error.what()));
            }
        use(line, lines);
    }
    if (!text.ends_with('\n')) lines.fail("the file ends in the middle of a line; is it truncated?");
}

}  // namespace fearnet::lab
