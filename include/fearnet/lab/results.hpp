// The results of an experiment and their three files: NAME.csv has a line per run, NAME_sessions.csv a line
// per evaluated session, NAME.json everything else. docs/formats/experiment_csv.md and docs/experiments.md
// list the fields.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/lab/run.hpp"

namespace fearnet::lab {

// Where and how the runs were made. Filled in by the program that uses the library.
struct RunContext {
    std::string version;  // of the program
    std::string date;     // of the start, ISO 8601
    std::string cpu;      // model of the processor
    int threads = 0;
    std::string command;  // command line
};

// A finished run of an experiment.
struct ResultRun {
    std::string experiment;
    std::string row;            // of the experiment: "FearNet", "10 classes", ...
    std::string settings;       // "key=value;key=value"
    std::string id;             // see run_id
    std::string version, date;  // empty: those of the experiment's context
    RunRecord record;
};

// A planned run without a result.
struct MissingRun {
    std::string row;
    std::string dataset;
    std::uint64_t seed = 0;
    std::string reason;    // for people
    bool skipped = false;  // the user excluded it; not stored in the file
};

// The paper's numbers for one row and data set.
struct PaperNumbers {
    std::string row;
    std::string dataset;
    std::map<std::string, double, std::less<>> numbers;  // by result column: {"omega_all", 0.9}
    std::string note;
};

// A claim of the paper that is checked on the means over the seeds. docs/report.md says exactly when each
// kind holds.
struct Claim {
    enum class Kind {
        trend,    // `column` goes up, down or stays flat (`direction`) as `over` grows
        best,     // no other row has a better `column` than `row`
        greater,  // `column` of `row` exceeds `than_column` of `than_row`
        least,    // `column` of `row` is at least `by`
    };
    std::string id;
    std::string text;
    Kind kind = Kind::best;
    std::string row;  // a row of the experiment; trend: also a learner, or empty for all rows
    std::string column;
    std::string over;                   // trend: the column on the x axis
    std::string direction;              // trend: "up", "down" or "flat"
    std::string than_row;               // greater; empty: `row`
    std::string than_column;            // greater; empty: `column`
    std::vector<std::string> datasets;  // that the claim is about; empty: all
    double by = 0;                      // greater: by at least this fraction of the smaller number
};

struct ExperimentResults {
    std::string name;
    std::string title;
    std::string source;  // in the paper: "Table 2, Figure 3"
    RunContext context;
    std::vector<std::uint64_t> planned_seeds;  // of the experiment; empty if rows have their own
    std::vector<ResultRun> runs;               // in the order of the plan
    std::vector<MissingRun> missing;           // in the order of the plan
    std::vector<PaperNumbers> paper;
    std::vector<Claim> claims;
};

// A number of a run by the name of its column ("omega_all", "memory_bytes", ...); none if the run does not
// have it. Throws Error for an unknown column.
std::optional<double> number_of(const RunRecord& run, const std::string& column);

// Estimates the memory, in bytes, that the learner of a run would keep at `classes` classes. It continues the
// line from the base session to the last sleep, when no recent examples are stored, or to the last session of
// a run without sleep. Exact for memory that is linear in the number of classes. None for a run in which no
// class was learned after the base session.
std::optional<double> extrapolated_memory(const std::vector<SessionRecord>& sessions, double classes);

// The contents of the three files. The CSV texts depend on the runs only.
struct ResultFiles {
    std::string csv, sessions, json;
};
ResultFiles result_files(const ExperimentResults& results);
// The inverse of result_files. `what` is the path of the files without their endings, for messages. Throws
// Error, with file and line, for text that is truncated or of the wrong type, and if the files do not belong
// together.
ExperimentResults parse_result_files(const ResultFiles& files, const std::string& what);

// Write and read the three files in `directory`. Each is written atomically. Throw Error, with the path.
void write_results(const ExperimentResults& results, const std::filesystem::path& directory);
ExperimentResults read_results(const std::filesystem::path& directory, const std::string& name);
// Names of the experiments that have results in `directory`, ascending. Throws Error if there are none.
std::vector<std::string> result_names(const std::filesystem::path& directory);

// A RunRecord as JSON, and back, bit for bit. parse_run_record throws Error, starting with `what`, if the
// text is not a record of a finished run.
std::string run_record_json(const RunRecord& record);
RunRecord parse_run_record(const std::string& json, const std::string& what);

}  // namespace fearnet::lab
