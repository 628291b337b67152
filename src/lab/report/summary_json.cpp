#include <nlohmann/json.hpp>

#include "fearnet/lab/report.hpp"
#include "lab/report/scores.hpp"
#include "lab/report/stream_variant_json.hpp"

namespace fearnet::lab {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json run_object(const RunRecord& run, const std::string& version) {
    Json object;
    object["dataset"] = run.dataset;
    object["learner"] = run.learner;
    object["preset"] = run.preset;
    object["seed"] = run.seed;
    object["base_classes"] = run.base_classes;
    object["sleep_every"] = run.sleep_every;
    object["evaluate_every"] = run.evaluate_every;
    put_stream_variant(object, run.variant);
    object["sessions"] = run.sessions.empty() ? 0 : run.sessions.size() - 1;
    object["finished"] = run.finished;
    for (const Score& score : all_scores()) object[score.name] = number_or_null(score.of(run));
    object["memory_bytes"] = Json::object();
    for (const auto& [kind, bytes] : run.memory) object["memory_bytes"][kind] = bytes;
    object["seconds"] = Json::object();
    for (const auto& [phase, seconds] : run.seconds) object["seconds"][phase] = seconds;
    object["options"] = Json::object();
    for (const auto& [name, value] : run.options) object["options"][name] = value;
    object["version"] = version;
    return object;
}

}  // namespace

std::string summary_json(const std::vector<RunRecord>& runs, const RunContext& context) {
    Json root;
    root["format"] = 1;
    root["context"] = {{"version", context.version},
                       {"date", context.date},
                       {"cpu", context.cpu},
                       {"threads", context.threads},
                       {"command", context.command}};
    root["runs"] = Json::array();
    for (const RunRecord& run : runs) root["runs"].push_back(run_object(run, context.version));
    root["mean"] = Json::object();
    root["deviation"] = Json::object();
    for (const Score& score : all_scores()) {
        const Statistics s = statistics(runs, score);
        root["mean"][score.name] = number_or_null(s.mean);
        root["deviation"][score.name] = number_or_null(s.deviation);
    }
    // Names come from files: bytes that are not UTF-8 must not lose a finished run.
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fearnet::lab
