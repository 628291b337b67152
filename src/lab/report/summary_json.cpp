#include "fearnet/lab/report.hpp"
#include "lab/protocol/protocol_json.hpp"
#include "lab/report/scores.hpp"
#include "lab/results/json_parts.hpp"

namespace fearnet::lab {
namespace {

using Json = nlohmann::ordered_json;

// The optional columns that have a value, and the reliability diagram of the last session.
Json open_world_object(const RunRecord& run) {
    Json object = Json::object();
    for (const auto& column : run_columns())
        if (const auto value = column.optional ? column.get(run) : std::nullopt) object[column.name] = *value;
    object["reliability"] = reliability_json(run.open_world->reliability);
    return object;
}

Json run_object(const RunRecord& run, const std::string& version) {
    Json object;
    object["dataset"] = run.dataset;
    object["learner"] = run.learner;
    object["preset"] = run.preset;
    object["seed"] = run.seed;
    put_protocol(object, run.protocol);
    object["sessions"] = run.sessions.empty() ? 0 : run.sessions.size() - 1;
    object["finished"] = run.finished;
    for (const auto& score : score_columns()) object[score.name] = number_or_null(score.get(run));
    if (run.open_world) object["open_world"] = open_world_object(run);
    object["memory_bytes"] = run.memory;
    object["seconds"] = run.seconds;
    object["options"] = run.options;
    object["version"] = version;
    return object;
}

}  // namespace

std::string summary_json(const std::vector<RunRecord>& runs, const RunContext& context) {
    Json root;
    root["format"] = 1;
    root["context"] = context_json(context);
    root["runs"] = Json::array();
    for (const RunRecord& run : runs) root["runs"].push_back(run_object(run, context.version));
    root["mean"] = Json::object();
    root["deviation"] = Json::object();
    for (const auto& score : score_columns()) {
        const Statistics s = statistics(runs, score);
        root["mean"][score.name] = number_or_null(s.mean);
        root["deviation"][score.name] = number_or_null(s.deviation);
    }
    // Names come from files: bytes that are not UTF-8 must not lose a finished run.
    return json_text(root, 2);
}

}  // namespace fearnet::lab
