// From an experiment to the runs it needs. Runs have names that follow from what defines them, so that a
// finished one is found again, by this experiment and by others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fearnet/lab/experiment.hpp"
#include "fearnet/lab/run.hpp"

namespace fearnet::lab {

// A data set as far as planning needs it.
struct DataInfo {
    std::string name;         // as the experiment calls it
    std::string source;       // what load_feature_set takes
    std::string fingerprint;  // see fingerprint(FeatureSet)
    std::size_t classes = 0;
    std::size_t numbers = 0;  // training rows x features, to guess how long things take
};
DataInfo describe(const FeatureSet& set, const std::string& name, const std::string& source);

// Everything that decides the numbers of one run.
struct RunDefinition {
    std::string dataset;          // "cub200" or "cifar100+audioset"
    std::vector<DataInfo> parts;  // the sets it is put together from, in order
    std::string base;             // see ExperimentRow
    LearnerSpec learner;
    Protocol protocol;  // its base_classes is not 0
    std::uint64_t seed = 1;
};

// "cub200-fearnet-base100-sleep10-seed1-0123456789abcdef": the digits are a hash of the data, every option
// the learner and its offline model end up with, and the protocol. Throws Error for an unknown learner,
// preset or option.
std::string run_id(const RunDefinition& run);
// "cub200-seed1-0123456789abcdef": the same for runs that can share the scores of an offline model.
std::string offline_id(const RunDefinition& run);
// The classes of the parts as groups; empty for a single set.
std::vector<BaseGroup> base_groups(const RunDefinition& run);

struct PlannedRun {
    std::size_t row = 0;   // of the experiment
    std::string label;     // the row's name
    RunDefinition run;     // not whole when there is a problem
    std::string id;        // empty when there is a problem
    std::string offline;   // id of its offline model
    std::string problem;   // why it cannot be run: no data, unknown learner, ...
    bool skipped = false;  // the user does not want it run
};

struct PlanOptions {
    std::vector<std::uint64_t> seeds;  // instead of the experiment's; empty: as it says
    std::vector<std::string> rows;     // only these; empty: all
    std::vector<std::string> skip;     // not these
};

// One entry per row, data set and seed, sorted by data set, row and seed as the experiment lists them. `data`
// by name; a data set that is not there makes its runs a problem. Throws Error for rows that the experiment
// does not have.
std::vector<PlannedRun> make_plan(const Experiment& experiment, const std::map<std::string, DataInfo>& data,
                                  const PlanOptions& options);

// "cifar100+audioset" -> both names.
std::vector<std::string> dataset_parts(const std::string& dataset);

}  // namespace fearnet::lab
