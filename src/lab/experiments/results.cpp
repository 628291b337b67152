#include "fearnet/lab/results.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "data/io/files.hpp"
#include "fearnet/error.hpp"
#include "fearnet/lab/job.hpp"

namespace fearnet::lab {
namespace {

using Json = nlohmann::ordered_json;

std::string joined(const Settings& settings) {
    std::string text;
    for (const auto& [name, value] : settings) text += (text.empty() ? "" : ";") + name + "=" + value;
    return text;
}

// The name, preset and settings are the row's: the run may have been made for another row that comes to the
// same.
ResultRow result_row(const Experiment& experiment, const PlannedRun& planned, const RunRecord& record) {
    ResultRow r;
    r.experiment = experiment.name;
    r.row = experiment.rows[planned.row].row;
    r.dataset = planned.run.dataset;
    r.learner = planned.run.learner.learner;
    r.preset = planned.run.learner.preset;
    r.settings = joined(planned.run.learner.settings);
    r.seed = record.seed;
    r.classes = record.sessions.back().classes_seen;
    r.base_classes = record.base_classes;
    r.sleep_every = record.sleep_every;
    r.evaluate_every = record.evaluate_every;
    r.omega = record.omega;
    r.restricted = record.omega_restricted;
    r.oracle = record.omega_oracle;
    r.offline_accuracy = record.offline_accuracy;
    r.final_accuracy = record.final_accuracy;
    r.memory = memory_columns(record.memory);
    return r;
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

Json run_json(const FinishedRun& run) {
    return {{"row", run.row.row},
            {"dataset", run.row.dataset},
            {"seed", run.row.seed},
            {"id", run.id},
            {"learner", run.row.learner},
            {"preset", run.row.preset},
            {"seconds", run.record.seconds},
            {"memory_bytes", run.row.memory.total()},
            {"memory_bytes_1000", extrapolated_memory(run.record.sessions, 1000)},
            {"options", run.record.options}};
}

}  // namespace

ExperimentResults collect_results(const Experiment& experiment, const std::vector<PlannedRun>& plan,
                                  const std::filesystem::path& directory,
                                  const std::map<std::string, std::string>& problems) {
    ExperimentResults results;
    for (const PlannedRun& planned : plan) {
        std::optional<RunRecord> record;
        if (!planned.id.empty()) record = finished_run(directory, planned.id);
        if (record && !record->sessions.empty()) {
            ResultRow row = result_row(experiment, planned, *record);
            results.runs.push_back({planned.id, std::move(row), std::move(*record)});
        } else {
            results.missing.push_back({experiment.rows[planned.row].row, planned.run.dataset,
                                       planned.run.seed, reason_for(planned, problems), planned.skipped});
        }
    }
    return results;
}

std::string experiment_json(const Experiment& experiment, const ExperimentResults& results,
                            const RunContext& context) {
    std::set<std::uint64_t> seeds;
    Json runs = Json::array(), missing = Json::array();
    for (const FinishedRun& run : results.runs) seeds.insert(run.row.seed), runs.push_back(run_json(run));
    for (const MissingRun& m : results.missing)
        missing.push_back({{"row", m.row}, {"dataset", m.dataset}, {"seed", m.seed}, {"reason", m.reason}});
    const Json config = Json::parse(experiment.json);
    const auto part = [&](const char* key) { return config.contains(key) ? config[key] : Json::array(); };
    const Json root{{"format", 1},
                    {"name", experiment.name},
                    {"title", experiment.title},
                    {"source", experiment.source},
                    {"context",
                     {{"version", context.version},
                      {"date", context.date},
                      {"cpu", context.cpu},
                      {"threads", context.threads},
                      {"command", context.command}}},
                    {"seeds", seeds},
                    {"planned_seeds", planned_seeds(experiment)},
                    {"runs", runs},
                    {"missing", missing},
                    {"paper", part("paper")},
                    {"claims", part("claims")}};
    return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_results(const Experiment& experiment, const ExperimentResults& results, const RunContext& context,
                   const std::filesystem::path& directory) {
    std::vector<ResultRow> rows;
    std::vector<ResultSession> sessions;
    for (const FinishedRun& run : results.runs) {
        rows.push_back(run.row);
        for (const SessionRecord& s : run.record.sessions)
            sessions.push_back({run.row.experiment, run.row.row, run.row.dataset, run.row.seed, s});
    }
    const auto write = [&](const std::string& ending, const std::string& text) {
        io::write_file_atomically(directory / (experiment.name + ending), io::as_bytes(text));
    };
    write(".csv", results_csv(rows));
    write("_sessions.csv", result_sessions_csv(sessions));
    write(".json", experiment_json(experiment, results, context));
}

std::optional<double> number_of(const FinishedRun& run, const std::string& column) {
    if (column == "memory_bytes_1000") return extrapolated_memory(run.record.sessions, 1000);
    return column_of(run.row, column);
}

}  // namespace fearnet::lab
