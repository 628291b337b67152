// The columns of the results: the only list of CSV headers, JSON keys, and columns of tables, claims and
// docs. A new column is one row of this list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fearnet/lab/results.hpp"

namespace fearnet::lab {

// How a number is meant and printed. Scores and accuracies may be absent.
enum class Unit { text, seed, count, flag, score, accuracy, bytes };
// Which numbers are better; fewer bytes always are.
enum class Better { higher, lower, neither };

// A line of a CSV file has a `record` with its numbers, and texts around it.
template <class Line>
struct Column {
    using Record = decltype(Line::record);
    const char* name;
    const char* title;    // in tables
    const char* meaning;  // in the docs
    Unit unit = Unit::text;
    std::string& (*text)(Line&) = nullptr;
    std::optional<double> (*get)(const Record&) = nullptr;
    void (*set)(Record&, double) = nullptr;  // none: follows from other columns and is not in the file
    Better better = Better::higher;
    // The optional columns are behind all others. They are in a file only if one of its lines has a value in
    // one of them.
    bool optional = false;
};

// A session of a run. NAME_sessions.csv has the first four texts, sessions.csv of `fearnet run` others.
struct ResultSession {
    std::string experiment, row, dataset, learner, preset;
    std::uint64_t seed = 0;
    SessionRecord record;
};

// The optional columns: what Protocol::open_world measures.
template <class Line>
std::vector<Column<Line>> open_world_columns();

const std::vector<Column<ResultRun>>& run_columns();
const std::vector<Column<ResultSession>>& result_session_columns();  // of NAME_sessions.csv
const std::vector<Column<ResultSession>>& run_session_columns();     // of sessions.csv

// The column of a run with a number; null when there is none of that name.
const Column<ResultRun>* find_column(std::string_view name);
// Throws Error, listing the names, when there is none.
const Column<ResultRun>& column_named(std::string_view name);

// The number of classes at which the paper compares memory.
constexpr double kManyClasses = 1000;

}  // namespace fearnet::lab
