#include "fearnet/lab/collect_results.hpp"

#include "fearnet/lab/job.hpp"

namespace fearnet::lab {
namespace {

std::string joined(const Settings& settings) {
    std::string text;
    for (const auto& [name, value] : settings) text += (text.empty() ? "" : ";") + name + "=" + value;
    return text;
}

std::string reason_for(const PlannedRun& planned, const std::map<std::string, std::string>& problems) {
    if (planned.skipped) return "skipped";
    if (!planned.problem.empty()) return planned.problem;
    for (const std::string& id : {planned.id, planned.offline})
        if (const auto it = problems.find(id); it != problems.end()) return "failed: " + it->second;
    return "not run";
}

// None when rows have their own.
std::vector<std::uint64_t> planned_seeds(const Experiment& experiment) {
    for (const ExperimentRow& row : experiment.rows)
        if (!row.seeds.empty()) return {};
    return experiment.seeds;
}

}  // namespace

ExperimentResults collect_results(const Experiment& experiment, const std::vector<PlannedRun>& plan,
                                  const std::filesystem::path& directory,
                                  const std::map<std::string, std::string>& problems,
                                  const RunContext& context) {
    ExperimentResults results{
        experiment.name,  experiment.title, experiment.source, context, planned_seeds(experiment), {}, {},
        experiment.paper, experiment.claims};
    for (const PlannedRun& planned : plan) {
        std::optional<RunRecord> record;
        if (!planned.id.empty()) record = finished_run(directory, planned.id);
        if (!record || record->sessions.empty()) {
            results.missing.push_back({planned.label, planned.run.dataset, planned.run.seed,
                                       reason_for(planned, problems), planned.skipped});
            continue;
        }
        // The run may have been made for an equivalent row: data set, preset and settings are taken from this
        // one.
        record->dataset = planned.run.dataset;
        record->learner = planned.run.learner.learner;
        record->preset = planned.run.learner.preset;
        results.runs.push_back({experiment.name, planned.label, joined(planned.run.learner.settings),
                                planned.id, "", "", std::move(*record)});
    }
    return results;
}

}  // namespace fearnet::lab
