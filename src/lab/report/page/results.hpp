// What `fearnet paper` left in a folder, as read from its files: NAME.csv, NAME_sessions.csv and NAME.json
// per experiment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fearnet::lab::page {

// By column name; a number that is not there was not measured.
using Numbers = std::map<std::string, double, std::less<>>;
std::optional<double> number(const Numbers& numbers, std::string_view column);

// One line of NAME.csv.
struct Run {
    std::string row, dataset, learner, preset, settings;
    std::uint64_t seed = 0;
    Numbers numbers;  // everything behind the seed
};

// One line of NAME_sessions.csv.
struct Session {
    std::string row, dataset;
    std::uint64_t seed = 0;
    std::size_t session = 0;
    bool slept = false;
    Numbers numbers;  // classes_seen and everything behind `slept`
};

// What the paper prints for a row.
struct PaperNumbers {
    std::string row, dataset;
    Numbers numbers;
    std::string note;  // what is to be known about them
};

// What the paper says about the numbers; claims.hpp has the kinds. A field that is not given is empty.
struct Claim {
    std::string text, kind, column, row, than_row, than_column, over, direction;
    std::vector<std::string> datasets;  // empty: each of them
    double by = 0;
};

struct MissingRun {
    std::string row, dataset, seed, reason;
};

// How a row was run.
struct RowOptions {
    std::string row, learner, preset, datasets;  // datasets: only when not all of the experiment's
    std::vector<std::pair<std::string, std::string>> options;
};

struct Experiment {
    std::string name, title, source;
    std::vector<std::string> datasets;
    std::vector<RowOptions> rows;
    std::vector<PaperNumbers> paper;
    std::vector<Claim> claims;
    std::vector<MissingRun> missing;
    std::string machine, version, commit, date;  // version, date: those of all runs where they have their own
    std::vector<std::uint64_t> planned_seeds;    // the config's; empty: not known
    double seconds = 0;                          // of all runs together
    std::vector<Run> runs;
    std::vector<Session> sessions;
};

// Reads every experiment in the folder, in the paper's order. Throws Error naming file and line when a file
// is missing, cut off, has other columns than docs/report.md says, or a field is no number.
std::vector<Experiment> read_results(const std::filesystem::path& folder);

// The two kinds of CSV file alone; `what` names the file in messages.
std::vector<Run> parse_runs(std::string_view text, const std::string& what);
std::vector<Session> parse_sessions(std::string_view text, const std::string& what);
// The context file, without runs and sessions.
Experiment parse_context(std::string_view text, const std::string& what);

}  // namespace fearnet::lab::page
