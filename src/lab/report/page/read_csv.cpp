#include <charconv>
#include <cmath>
#include <set>
#include <tuple>

#include "data/io/csv_lines.hpp"
#include "fearnet/error.hpp"
#include "lab/report/page/results.hpp"

namespace fearnet::lab::page {
namespace {

enum class Kind { text, seed, count, flag, number, maybe };  // maybe: a number or nothing
struct Column {
    const char* name;
    Kind kind;
};
using Columns = std::vector<Column>;

const Columns& run_columns() {
    using enum Kind;
    static const Columns kColumns{{"experiment", text},
                                  {"row", text},
                                  {"dataset", text},
                                  {"learner", text},
                                  {"preset", text},
                                  {"settings", text},
                                  {"seed", Kind::seed},
                                  {"classes", count},
                                  {"base_classes", count},
                                  {"sleep_every", count},
                                  {"evaluate_every", count},
                                  {"omega_base", maybe},
                                  {"omega_new", maybe},
                                  {"omega_all", maybe},
                                  {"omega_base_restricted", maybe},
                                  {"omega_new_restricted", maybe},
                                  {"omega_all_restricted", maybe},
                                  {"oracle_base", maybe},
                                  {"oracle_new", maybe},
                                  {"oracle_all", maybe},
                                  {"offline_accuracy", number},
                                  {"final_accuracy", number},
                                  {"memory_bytes", number},
                                  {"memory_networks", number},
                                  {"memory_statistics", number},
                                  {"memory_examples", number},
                                  {"memory_other", number}};
    return kColumns;
}

const Columns& session_columns() {
    using enum Kind;
    static const Columns kColumns{{"experiment", text},   {"row", text},          {"dataset", text},
                                  {"seed", Kind::seed},   {"session", count},     {"classes_seen", count},
                                  {"class", text},        {"slept", flag},        {"base", number},
                                  {"new", maybe},         {"all", number},        {"oracle_base", maybe},
                                  {"oracle_new", maybe},  {"oracle_all", maybe},  {"offline_base", maybe},
                                  {"offline_new", maybe}, {"offline_all", maybe}, {"memory_bytes", number}};
    return kColumns;
}

// One record: the texts and the numbers of the columns, by name.
struct Record {
    std::map<std::string, std::string, std::less<>> texts;
    Numbers numbers;
    std::uint64_t seed = 0;  // all of its 64 bits
    std::uint64_t count(std::string_view column) const {
        return static_cast<std::uint64_t>(numbers.find(column)->second);
    }
};

std::string place_of(const Column& column, std::size_t i) {
    return "column " + std::to_string(i + 1) + " ('" + column.name + "'): ";
}

double parse_number(const std::string& field, const Column& column, std::size_t i,
                    const io::CsvLines& lines) {
    double value = 0;
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    const bool whole = error == std::errc() && stop == end && std::isfinite(value);
    if (!whole || value < 0)
        lines.fail(place_of(column, i) + "expected a number from 0 on, found '" + field + "'");
    if (column.kind == Kind::count && (value != std::floor(value) || value > 9e15))
        lines.fail(place_of(column, i) + "expected a whole number, found '" + field + "'");
    return value;
}

std::uint64_t parse_seed(const std::string& field, const Column& column, std::size_t i,
                         const io::CsvLines& lines) {
    std::uint64_t value = 0;
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (field.empty() || error != std::errc() || stop != end)
        lines.fail(place_of(column, i) + "expected a whole number, found '" + field + "'");
    return value;
}

void read_field(const std::string& field, const Column& column, std::size_t i, const io::CsvLines& lines,
                Record& record) {
    if (column.kind == Kind::text) {
        record.texts[column.name] = field;
    } else if (column.kind == Kind::seed) {
        record.seed = parse_seed(field, column, i, lines);
    } else if (column.kind == Kind::flag) {
        const bool yes = field == "1" || field == "true" || field == "yes";
        if (!yes && field != "0" && field != "false" && field != "no")
            lines.fail(place_of(column, i) + "expected 0 or 1, found '" + field + "'");
        record.numbers[column.name] = yes;
    } else if (!field.empty() || column.kind != Kind::maybe) {
        record.numbers[column.name] = parse_number(field, column, i, lines);
    }
}

void check_header(const std::vector<std::string>& fields, const Columns& columns, const io::CsvLines& lines) {
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (i >= fields.size() || fields[i] != columns[i].name)
            lines.fail("column " + std::to_string(i + 1) + " should be '" + columns[i].name + "' but is " +
                       (i < fields.size() ? "'" + fields[i] + "'" : "missing") +
                       "; is this a result file of 'fearnet paper'?");
    if (fields.size() > columns.size())
        lines.fail("expected " + std::to_string(columns.size()) + " columns, found " +
                   std::to_string(fields.size()));
}

// Calls `use(record, lines)` for every line behind the header.
template <class Use>
void for_each_record(std::string_view text, const std::string& what, const Columns& columns, const Use& use) {
    io::CsvLines lines(text, what);
    std::vector<std::string> fields;
    if (!lines.next(fields)) throw Error(what + ": the file is empty; expected a header line");
    check_header(fields, columns, lines);
    while (lines.next(fields)) {
        if (fields.size() != columns.size())
            lines.fail("expected " + std::to_string(columns.size()) + " columns, found " +
                       std::to_string(fields.size()));
        Record record;
        for (std::size_t i = 0; i < fields.size(); ++i) read_field(fields[i], columns[i], i, lines, record);
        use(record, lines);
    }
    if (!text.ends_with('\n')) lines.fail("the file ends in the middle of a line; was it cut off?");
}

}  // namespace

std::optional<double> number(const Numbers& numbers, std::string_view column) {
    const auto found = numbers.find(column);
    if (found == numbers.end()) return std::nullopt;
    return found->second;
}

std::vector<Run> parse_runs(std::string_view text, const std::string& what) {
    std::vector<Run> runs;
    std::set<std::tuple<std::string, std::string, std::uint64_t, double>> seen;
    for_each_record(text, what, run_columns(), [&](Record& r, const io::CsvLines& lines) {
        Run run{r.texts["row"],      r.texts["dataset"],  r.texts["learner"],
                r.texts["preset"],   r.texts["settings"], r.seed,
                std::move(r.numbers)};
        if (!seen.emplace(run.row, run.dataset, run.seed, *number(run.numbers, "classes")).second)
            lines.fail("a second line for row '" + run.row + "', data set '" + run.dataset + "', seed " +
                       std::to_string(run.seed));
        runs.push_back(std::move(run));
    });
    return runs;
}

std::vector<Session> parse_sessions(std::string_view text, const std::string& what) {
    std::vector<Session> sessions;
    std::set<std::tuple<std::string, std::string, std::uint64_t, std::uint64_t>> seen;
    for_each_record(text, what, session_columns(), [&](Record& r, const io::CsvLines& lines) {
        Session s{r.texts["row"],     r.texts["dataset"],    r.seed,
                  r.count("session"), r.count("slept") != 0, std::move(r.numbers)};
        for (const char* name : {"session", "slept"}) s.numbers.erase(name);
        if (!seen.emplace(s.row, s.dataset, s.seed, s.session).second)
            lines.fail("a second line for session " + std::to_string(s.session) + " of row '" + s.row +
                       "', data set '" + s.dataset + "', seed " + std::to_string(s.seed));
        sessions.push_back(std::move(s));
    });
    return sessions;
}

}  // namespace fearnet::lab::page
