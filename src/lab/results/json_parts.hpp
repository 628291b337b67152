// Parts of results in JSON that several files have. The paper's numbers and claims are the same in the config
// of an experiment and in its results.
#pragma once

#include "fearnet/lab/results.hpp"
#include "lab/results/json_object.hpp"

namespace fearnet::lab {

// Both throw Error naming the place for a column that the results do not have.
PaperNumbers parse_paper(JsonObject object);
// Refuses what a claim of its kind does not use.
Claim parse_claim(JsonObject object);

JsonObject::Json paper_json(const PaperNumbers& paper);
JsonObject::Json claim_json(const Claim& claim);
JsonObject::Json context_json(const RunContext& context);
JsonObject::Json number_or_null(const std::optional<double>& value);

// [[confidence, accuracy, share], ...], and back. parse_reliability throws nlohmann::json::exception.
JsonObject::Json reliability_json(const std::vector<ReliabilityBin>& bins);
std::vector<ReliabilityBin> parse_reliability(const JsonObject::Json& json);

}  // namespace fearnet::lab
