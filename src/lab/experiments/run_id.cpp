#include <nlohmann/json.hpp>

#include "fearnet/data/frames.hpp"
#include "fearnet/lab/plan.hpp"
#include "fearnet/registry.hpp"
#include "fearnet/rng.hpp"
#include "lab/protocol/protocol_json.hpp"

namespace fearnet::lab {
namespace {

using Json = nlohmann::ordered_json;

// Increased when runs of older versions become incomparable for a reason that no option shows.
constexpr int kGeneration = 1;

// FNV-1a, mixed at the end; ids are on disk, so this never changes.
std::string hashed(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
    hash = mix64(hash);
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(hash >> shift) & 15];
    return digits;
}

// Letters, digits and a few signs: it becomes the name of a file.
std::string plain(const std::string& text) {
    std::string result;
    for (const char c : text)
        result += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '+' || c == '_' ? c : '_';
    return result;
}

Json data_of(const RunDefinition& run) {
    Json data = Json::array();
    for (const DataInfo& part : run.parts) data.push_back({part.name, part.fingerprint});
    return data;
}

Json offline_of(const RunDefinition& run) {
    return {{"generation", kGeneration},
            {"data", data_of(run)},
            {"options", offline_options(run.learner)},
            {"seed", run.seed}};
}

}  // namespace

std::string offline_id(const RunDefinition& run) {
    return plain(run.dataset) + "-seed" + std::to_string(run.seed) + "-" + hashed(offline_of(run).dump());
}

std::string run_id(const RunDefinition& run) {
    std::map<std::string, std::string> options = make_learner(run.learner)->options();
    // 0 stands for the number that the run detects: no run with a number that was set has this id.
    if (frames_are_unset(run.learner)) options[kFramesOption] = "0";
    Json definition{{"offline", offline_of(run)},
                    {"learner", run.learner.learner},
                    {"options", options},
                    {"base", run.base}};
    put_protocol(definition, run.protocol);
    if (run.far_data) definition["far_data"] = {run.far_data->name, run.far_data->fingerprint};
    return plain(run.dataset) + "-" + plain(run.learner.learner) + "-base" +
           std::to_string(run.protocol.base_classes) + (run.base.empty() ? "" : "-" + plain(run.base)) +
           "-sleep" + std::to_string(run.protocol.sleep_every) + "-seed" + std::to_string(run.seed) + "-" +
           hashed(definition.dump());
}

}  // namespace fearnet::lab
