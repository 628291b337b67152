// The files of an experiment of many runs: NAME.csv, NAME_sessions.csv and single finished runs as JSON. All
// functions are pure. Columns: docs/formats/experiment_csv.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/lab/run.hpp"

namespace fearnet::lab {

// Bytes a learner keeps, by the kinds the tables tell apart.
struct MemoryColumns {
    std::size_t networks = 0;
    std::size_t statistics = 0;
    std::size_t examples = 0;
    std::size_t other = 0;

    std::size_t total() const { return networks + statistics + examples + other; }
};
// Kinds without a column of their own are counted as other.
MemoryColumns memory_columns(const MemoryUse& memory);

// One line of NAME.csv: one run of one row of the experiment. Scores that are not defined are NaN and stand
// empty in the file.
struct ResultRow {
    std::string experiment;
    std::string row;  // "FearNet", "10 classes", ...
    std::string dataset;
    std::string learner;
    std::string preset;
    std::string settings;  // "key=value;key=value"
    std::uint64_t seed = 0;
    std::size_t classes = 0;
    std::size_t base_classes = 0;
    std::int64_t sleep_every = 0;
    std::int64_t evaluate_every = 1;
    OmegaScores omega;
    OmegaScores restricted;             // against the offline model restricted to the classes seen so far
    std::optional<OmegaScores> oracle;  // none for learners without a router
    double offline_accuracy = 0;
    double final_accuracy = 0;
    MemoryColumns memory;
};

// One line of NAME_sessions.csv: one evaluated session of one run.
struct ResultSession {
    std::string experiment;
    std::string row;
    std::string dataset;
    std::uint64_t seed = 0;
    SessionRecord record;  // `seconds` is not in the file
};

std::string results_csv(const std::vector<ResultRow>& rows);
std::string result_sessions_csv(const std::vector<ResultSession>& sessions);

// The numbers of a row by the name of their column ("omega_all", "memory_bytes", "sleep_every", ...), for
// tables, plots and claims. None when the column is empty in this row. Throws Error for an unknown column.
std::optional<double> column_of(const ResultRow& row, const std::string& column);

// A whole RunRecord as JSON and back, bit for bit. Throws Error naming `what` when it is not one.
std::string run_record_json(const RunRecord& record);
RunRecord parse_run_record(const std::string& json, const std::string& what);

// What the learner of a finished run would keep at `classes` classes: from the last session on as it grew per
// class from the base session to the last one. Exact for memory that is linear in the classes.
double extrapolated_memory(const std::vector<SessionRecord>& sessions, double classes);

}  // namespace fearnet::lab
