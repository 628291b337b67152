// An experiment of many runs: which learners on which data with which settings, what the paper measured and
// what it claims. docs/experiments.md describes the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/lab/results.hpp"
#include "fearnet/options.hpp"

namespace fearnet::lab {

// One line of the table: a learner with its settings, run on every data set with every seed.
struct ExperimentRow {
    std::string row;  // as the table calls it
    std::string learner;
    Settings settings;
    std::optional<std::string> preset;  // none: the one called like the data set, if there is one
    std::string base;                   // of a data set "a+b": whose classes are the base: "a", "b", "mixed"
    Protocol protocol;
    std::vector<std::uint64_t> seeds;   // empty: the experiment's
    std::vector<std::string> datasets;  // empty: the experiment's
};

// What --quick changes.
struct QuickChanges {
    std::vector<std::uint64_t> seeds;
    std::int64_t evaluate_every = 0;           // 0: no change
    std::map<std::string, Settings> settings;  // by learner, over those of the row
};

struct Experiment {
    std::string name;
    std::string title;
    std::string source;  // "Table 2, Figure 3"
    std::vector<std::string> datasets;
    std::vector<std::uint64_t> seeds;
    std::vector<ExperimentRow> rows;
    QuickChanges quick;
    std::vector<PaperNumbers> paper;
    std::vector<Claim> claims;
};

// Throws Error naming `what` (the file) and the place for anything that is missing, unknown, of the wrong
// type, or there twice.
Experiment parse_experiment(const std::string& json, const std::string& what);

// With what --quick changes put in.
Experiment quick_version(Experiment experiment);

// The paper's own, in its order.
std::vector<std::string> paper_experiments();
// Throws Error, listing the names, for another.
Experiment paper_experiment(const std::string& name);

}  // namespace fearnet::lab
