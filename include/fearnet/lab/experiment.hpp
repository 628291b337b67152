// Experiment: a description of many runs (learners, settings, data sets and seeds) together with the numbers
// and claims of the paper to compare them with. It is read from a JSON file; docs/experiments.md describes
// it. make_plan (fearnet/lab/plan.hpp) lists the runs of an experiment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/lab/results.hpp"
#include "fearnet/options.hpp"

namespace fearnet::lab {

// One row of the results table: a learner with its settings, run on every data set with every seed.
struct ExperimentRow {
    std::string row;  // its name in the table
    std::string learner;
    Settings settings;
    std::optional<std::string> preset;  // none: the preset with the name of the data set, if there is one
    std::string base;                   // for a joined set "a+b": take base classes from "a", "b" or "mixed"
    Protocol protocol;
    std::vector<std::uint64_t> seeds;   // empty: those of the experiment
    std::vector<std::string> datasets;  // empty: those of the experiment
};

// The changes that make a shorter version of an experiment (`fearnet paper --quick`).
struct QuickChanges {
    std::vector<std::uint64_t> seeds;          // replace all others; empty: no change
    std::int64_t evaluate_every = 0;           // at least this; 0: no change
    std::map<std::string, Settings> settings;  // by learner; they override those of the row
};

struct Experiment {
    std::string name;    // lower-case letters, digits, - and _
    std::string title;   // for people
    std::string source;  // in the paper: "Table 2, Figure 3"
    std::vector<std::string> datasets;
    std::vector<std::uint64_t> seeds;
    std::vector<ExperimentRow> rows;
    // Data set -> another one, whose rows are the far data of its open-world runs (RunOptions::far_data).
    std::map<std::string, std::string> far_data;
    QuickChanges quick;
    std::vector<PaperNumbers> paper;
    std::vector<Claim> claims;
};

// Parses an experiment. Throws Error if a field is missing, unknown, duplicate or of the wrong type; the
// message starts with `what`, the name of the file.
Experiment parse_experiment(const std::string& json, const std::string& what);

// The experiment with experiment.quick applied.
Experiment quick_version(Experiment experiment);

// Names of the experiments that are built into the library: those of the paper, in its order.
std::vector<std::string> paper_experiments();
// A built-in experiment. Throws Error, with the list of names, for another name.
Experiment paper_experiment(const std::string& name);

}  // namespace fearnet::lab
