// The results of an experiment of many runs, and their files: NAME.csv has a line per run, NAME_sessions.csv
// one per evaluated session, NAME.json the rest. Fields: docs/formats/experiment_csv.md, docs/experiments.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/lab/run.hpp"

namespace fearnet::lab {

// Under which circumstances the runs were made. The library cannot know; the program that runs it fills this
// in.
struct RunContext {
    std::string version;  // of the program
    std::string date;     // when it began, ISO 8601
    std::string cpu;      // model of the processor
    int threads = 0;
    std::string command;  // the command line
};

// One run of one row of the experiment.
struct ResultRun {
    std::string experiment;
    std::string row;       // "FearNet", "10 classes", ...
    std::string settings;  // "key=value;key=value"
    std::string id;
    std::string version, date;  // empty: those of the experiment's context
    RunRecord record;
};

// A run of the plan that has no result.
struct MissingRun {
    std::string row;
    std::string dataset;
    std::uint64_t seed = 0;
    std::string reason;
    bool skipped = false;  // because the user said so; not in the file
};

// The paper's numbers for one row and data set, by the column of the results they compare with.
struct PaperNumbers {
    std::string row;
    std::string dataset;
    std::map<std::string, double, std::less<>> numbers;
    std::string note;
};

// A sentence of the paper that the results can agree or disagree with, on the means over the seeds.
// docs/report.md says when each kind holds.
struct Claim {
    enum class Kind {
        trend,    // `column` goes `direction` (up, down, flat) as the column `over` grows; of `row` or of all
        best,     // no row has a better `column` than `row`
        greater,  // `column` of `row` is above `than_column` of `than_row`; each is the other's when empty
        least,    // `column` of `row` is no less than `by`
    };
    std::string id;
    std::string text;
    Kind kind = Kind::best;
    std::string row;
    std::string column;
    std::string over;
    std::string direction;
    std::string than_row;
    std::string than_column;
    std::vector<std::string> datasets;  // where it is said; empty: on all
    double by = 0;                      // greater: at least by this share of the lesser
};

struct ExperimentResults {
    std::string name;
    std::string title;
    std::string source;  // "Table 2, Figure 3"
    RunContext context;
    std::vector<std::uint64_t> planned_seeds;  // the config's; empty: rows have their own
    std::vector<ResultRun> runs;               // in the order of the plan
    std::vector<MissingRun> missing;           // the same
    std::vector<PaperNumbers> paper;
    std::vector<Claim> claims;
};

// A number of a run by the name of its column ("omega_all", "memory_bytes", ...); none when the run does not
// have it. Throws Error for an unknown column.
std::optional<double> number_of(const RunRecord& run, const std::string& column);

// What the learner of a run would keep at `classes` classes: memory grows per class as it did from the base
// session to the last sleep (the last session of a run without one), after which a learner keeps no recent
// examples. Exact for memory that is linear in the classes. None for a run without a class to learn.
std::optional<double> extrapolated_memory(const std::vector<SessionRecord>& sessions, double classes);

// The texts of the three files. The CSV texts depend on the runs alone.
struct ResultFiles {
    std::string csv, sessions, json;
};
ResultFiles result_files(const ExperimentResults& results);
// `what` names the files in messages, without their endings. Throws Error with file and line for anything
// that is cut off, of the wrong type, or in one file but not in another.
ExperimentResults parse_result_files(const ResultFiles& files, const std::string& what);

// The same with the files in `directory`; each is written whole or not at all. Throws Error naming the path.
void write_results(const ExperimentResults& results, const std::filesystem::path& directory);
ExperimentResults read_results(const std::filesystem::path& directory, const std::string& name);
// The experiments that have a file there, by name. Throws Error when there is none.
std::vector<std::string> result_names(const std::filesystem::path& directory);

// A whole RunRecord of a finished run as JSON and back, bit for bit. Throws Error naming `what` when it is
// not one.
std::string run_record_json(const RunRecord& record);
RunRecord parse_run_record(const std::string& json, const std::string& what);

}  // namespace fearnet::lab
