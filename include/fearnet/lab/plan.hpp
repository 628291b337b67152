// Plan: the list of runs that an experiment needs. The id of a run is a hash of everything that decides its
// result, so that a finished run is found again, by this experiment and by others.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/lab/experiment.hpp"
#include "fearnet/lab/run.hpp"

namespace fearnet::lab {

// What planning needs to know about a data set.
struct DataInfo {
    std::string name;         // in the experiment
    std::string source;       // argument of load_feature_set
    std::string fingerprint;  // of the FeatureSet
    std::size_t classes = 0;
    std::size_t numbers = 0;  // training rows x features, to estimate durations
};
DataInfo describe(const FeatureSet& set, const std::string& name, const std::string& source);

// Everything that decides the result of one run.
struct RunDefinition {
    std::string dataset;          // "cub200" or "cifar100+audioset"
    std::vector<DataInfo> parts;  // the sets that are joined, in order; one for a single set
    std::string base;             // see ExperimentRow
    LearnerSpec learner;
    Protocol protocol;  // base_classes is not 0
    std::uint64_t seed = 1;
    std::optional<DataInfo> far_data = {};  // see Experiment::far_data
};

// The id of a run: "cub200-fearnet-base100-sleep10-seed1-0123456789abcdef". The digits are a hash of the
// data, of all options of the learner and its offline model, of the seed and of the protocol. Throws Error
// for an unknown learner, preset or option.
std::string run_id(const RunDefinition& run);
// The id of the offline model of a run: "cub200-seed1-0123456789abcdef". Runs with the same id share the
// model.
std::string offline_id(const RunDefinition& run);
// One group per joined set; empty for a single set.
std::vector<BaseGroup> base_groups(const RunDefinition& run);

struct PlannedRun {
    std::size_t row = 0;   // index in Experiment::rows
    std::string label;     // name of the row
    RunDefinition run;     // incomplete if there is a problem
    std::string id;        // "" if there is a problem
    std::string offline;   // id of its offline model
    std::string problem;   // why it cannot be run (no data, unknown learner, ...); "" if it can
    bool skipped = false;  // excluded by PlanOptions::rows or PlanOptions::skip
};

struct PlanOptions {
    std::vector<std::uint64_t> seeds;  // replace the seeds of the experiment; empty: use those
    std::vector<std::string> rows;     // names of the rows to run; empty: all
    std::vector<std::string> skip;     // names of rows not to run
};

// One entry per data set, row and seed, nested in this order, each in the order of the experiment. `data`
// maps names to data sets; runs on a data set that is not in it get a `problem`, runs whose far data is not
// in it are planned without. Throws Error for a row in
// `options` that the experiment does not have.
std::vector<PlannedRun> make_plan(const Experiment& experiment, const std::map<std::string, DataInfo>& data,
                                  const PlanOptions& options);

// "cifar100+audioset" -> {"cifar100", "audioset"}.
std::vector<std::string> dataset_parts(const std::string& dataset);

}  // namespace fearnet::lab
