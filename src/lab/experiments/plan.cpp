#include "fearnet/lab/plan.hpp"

#include <algorithm>

#include "fearnet/error.hpp"
#include "fearnet/registry.hpp"

namespace fearnet::lab {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void check_row_names(const Experiment& experiment, const std::vector<std::string>& names, const char* flag) {
    std::string known;
    for (const ExperimentRow& row : experiment.rows)
        if (known.find(row.row) == std::string::npos) known += (known.empty() ? "" : ", ") + row.row;
    for (const std::string& name : names)
        if (std::none_of(experiment.rows.begin(), experiment.rows.end(),
                         [&](const ExperimentRow& row) { return row.row == name; }))
            throw Error(std::string(flag) + " '" + name + "': " + experiment.name +
                        " has no such row; it has " + known);
}

std::string preset_for(const ExperimentRow& row, const std::string& dataset) {
    if (row.preset) return *row.preset;
    return has(preset_names(), dataset) ? dataset : "";
}

std::int64_t base_classes_of(const ExperimentRow& row, const RunDefinition& run) {
    std::int64_t sum = 0;
    for (const BaseGroup& group : base_groups(run)) sum += group.base;
    if (row.protocol.base_classes > 0 && sum > 0 && row.protocol.base_classes != sum)
        throw Error("base_classes " + std::to_string(row.protocol.base_classes) + " does not fit base '" +
                    row.base + "', which has " + std::to_string(sum));
    if (sum > 0) return sum;
    const auto classes = static_cast<std::int64_t>(run.parts.front().classes);
    const std::int64_t base = row.protocol.base_classes > 0 ? row.protocol.base_classes : classes / 2;
    if (base >= classes)
        throw Error("base_classes " + std::to_string(base) + " of the " + std::to_string(classes) +
                    " classes in " + run.dataset + "; must leave at least 1 to learn later");
    return base;
}

std::optional<DataInfo> far_data_of(const Experiment& experiment, const ExperimentRow& row,
                                    const std::string& dataset, const std::map<std::string, DataInfo>& data) {
    const auto other = experiment.far_data.find(dataset);
    if (!row.protocol.open_world || other == experiment.far_data.end()) return std::nullopt;
    const auto found = data.find(other->second);
    if (found == data.end()) return std::nullopt;
    return found->second;
}

RunDefinition define(const Experiment& experiment, const ExperimentRow& row, const std::string& dataset,
                     std::uint64_t seed, const std::map<std::string, DataInfo>& data) {
    RunDefinition run;
    run.dataset = dataset;
    run.base = row.base;
    run.learner = {row.learner, preset_for(row, dataset), row.settings, seed};
    run.protocol = row.protocol;
    run.seed = seed;
    for (const std::string& part : dataset_parts(dataset)) {
        const auto it = data.find(part);
        if (it == data.end()) throw Error("no data: --data " + part + "=FILE is missing");
        run.parts.push_back(it->second);
    }
    run.protocol.base_classes = base_classes_of(row, run);
    run.far_data = far_data_of(experiment, row, dataset, data);
    for (const LearnerInfo& l : learners())
        if (l.name == row.learner && !l.incremental)
            throw Error("learner " + l.name + " learns everything at once, not in sessions");
    return run;
}

}  // namespace

DataInfo describe(const FeatureSet& set, const std::string& name, const std::string& source) {
    return {name, source, fingerprint(set), set.classes(), set.train.x.size()};
}

std::vector<std::string> dataset_parts(const std::string& dataset) {
    const std::size_t plus = dataset.find('+');
    if (plus == std::string::npos) return {dataset};
    return {dataset.substr(0, plus), dataset.substr(plus + 1)};
}

std::vector<BaseGroup> base_groups(const RunDefinition& run) {
    std::vector<BaseGroup> groups;
    if (run.parts.size() < 2) return groups;
    std::int32_t next = 0;
    for (const DataInfo& part : run.parts) {
        BaseGroup group;
        for (std::size_t i = 0; i < part.classes; ++i) group.classes.push_back(ClassId{next++});
        const auto classes = static_cast<std::int64_t>(part.classes);
        group.base = run.base == "mixed" ? classes / 2 : run.base == part.name ? classes : 0;
        groups.push_back(std::move(group));
    }
    return groups;
}

std::vector<PlannedRun> make_plan(const Experiment& experiment, const std::map<std::string, DataInfo>& data,
                                  const PlanOptions& options) {
    check_row_names(experiment, options.rows, "--rows");
    check_row_names(experiment, options.skip, "--skip");
    std::vector<PlannedRun> plan;
    for (const std::string& dataset : experiment.datasets)
        for (std::size_t r = 0; r < experiment.rows.size(); ++r) {
            const ExperimentRow& row = experiment.rows[r];
            if (!row.datasets.empty() && !has(row.datasets, dataset)) continue;
            const auto& seeds = !options.seeds.empty() ? options.seeds
                                : row.seeds.empty()    ? experiment.seeds
                                                       : row.seeds;
            for (const std::uint64_t seed : seeds) {
                PlannedRun planned;
                planned.row = r;
                planned.label = row.row;
                planned.skipped =
                    (!options.rows.empty() && !has(options.rows, row.row)) || has(options.skip, row.row);
                planned.run.dataset = dataset;
                planned.run.seed = seed;
                try {
                    planned.run = define(experiment, row, dataset, seed, data);
                    planned.id = run_id(planned.run);
                    planned.offline = offline_id(planned.run);
                } catch (const Error& error) {
                    planned.id.clear();
                    planned.problem = error.what();
                }
                plan.push_back(std::move(planned));
            }
        }
    return plan;
}

}  // namespace fearnet::lab
