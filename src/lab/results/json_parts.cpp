#include "lab/results/json_parts.hpp"

#include "lab/results/columns.hpp"

namespace fearnet::lab {
namespace {

using Json = JsonObject::Json;

constexpr double kLargest = 1e15;

// The texts of a claim, and whether a claim of each kind needs one, may have it or may not.
enum Use { no, may, must };
struct ClaimText {
    const char* key;
    std::string Claim::*field;
    bool column;  // it names one
    Use trend, best, greater, least;
};
constexpr ClaimText kTexts[] = {
    {"row", &Claim::row, false, may, must, must, must},
    {"column", &Claim::column, true, must, must, must, must},
    {"over", &Claim::over, true, must, no, no, no},
    {"direction", &Claim::direction, false, must, no, no, no},
    {"than_row", &Claim::than_row, false, no, no, may, no},
    {"than_column", &Claim::than_column, true, no, no, may, no},
};
struct ClaimKind {
    const char* name;
    Claim::Kind kind;
    Use ClaimText::*use;
};
constexpr ClaimKind kKinds[] = {{"trend", Claim::Kind::trend, &ClaimText::trend},
                                {"best", Claim::Kind::best, &ClaimText::best},
                                {"greater", Claim::Kind::greater, &ClaimText::greater},
                                {"least", Claim::Kind::least, &ClaimText::least}};

const ClaimKind& parse_kind(const std::string& name, const JsonObject& o) {
    std::string known;
    for (const ClaimKind& kind : kKinds) {
        if (name == kind.name) return kind;
        known += (known.empty() ? "" : ", ") + std::string(kind.name);
    }
    o.fail("kind '" + name + "': not one of " + known);
}

void check_column(const std::string& name, const JsonObject& o) {
    try {
        column_named(name);
    } catch (const Error& error) {
        o.fail(error.what());
    }
}

}  // namespace

PaperNumbers parse_paper(JsonObject o) {
    PaperNumbers paper{o.text("row"), o.text("dataset"), {}, o.text_or("note", "")};
    for (const auto& [key, value] : o.json().items()) {
        if (key == "row" || key == "dataset" || key == "note") continue;
        check_column(key, o);
        if (!value.is_number()) o.fail("'" + key + "' must be a number");
        paper.numbers[key] = value.get<double>();
    }
    return paper;
}

Claim parse_claim(JsonObject o) {
    Claim claim;
    claim.id = o.text_or("id", ""), claim.text = o.text("text");
    const ClaimKind& kind = parse_kind(o.text("kind"), o);
    claim.kind = kind.kind;
    claim.datasets = o.texts("datasets");
    for (const ClaimText& text : kTexts) {
        if (text.*kind.use == no) continue;
        claim.*text.field = text.*kind.use == must ? o.text(text.key) : o.text_or(text.key, "");
        if (text.column && !(claim.*text.field).empty()) check_column(claim.*text.field, o);
    }
    const std::string& direction = claim.direction;
    if (claim.kind == Claim::Kind::trend && direction != "up" && direction != "down" && direction != "flat")
        o.fail("direction '" + direction + "': must be up, down or flat");
    if (claim.kind == Claim::Kind::greater && claim.than_row.empty() && claim.than_column.empty())
        o.fail("'than_row' or 'than_column' is missing");
    if (claim.kind == Claim::Kind::greater || claim.kind == Claim::Kind::least)
        o.option("by", claim.by, 0.0, kLargest);
    o.refuse_others();
    return claim;
}

Json paper_json(const PaperNumbers& paper) {
    Json json{{"row", paper.row}, {"dataset", paper.dataset}};
    for (const auto& [column, value] : paper.numbers) json[column] = value;
    if (!paper.note.empty()) json["note"] = paper.note;
    return json;
}

Json claim_json(const Claim& claim) {
    Json json{{"id", claim.id}, {"text", claim.text}};
    for (const ClaimKind& kind : kKinds)
        if (kind.kind == claim.kind) json["kind"] = kind.name;
    for (const ClaimText& text : kTexts)
        if (!(claim.*text.field).empty()) json[text.key] = claim.*text.field;
    if (!claim.datasets.empty()) json["datasets"] = claim.datasets;
    if (claim.by != 0) json["by"] = claim.by;
    return json;
}

Json context_json(const RunContext& context) {
    return {{"version", context.version},
            {"date", context.date},
            {"cpu", context.cpu},
            {"threads", context.threads},
            {"command", context.command}};
}

Json number_or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json reliability_json(const std::vector<ReliabilityBin>& bins) {
    Json json = Json::array();
    for (const ReliabilityBin& bin : bins)
        json.push_back(Json::array({bin.confidence, bin.accuracy, bin.share}));
    return json;
}

std::vector<ReliabilityBin> parse_reliability(const Json& json) {
    std::vector<ReliabilityBin> bins;
    for (const Json& bin : json)
        bins.push_back({bin.at(0).get<double>(), bin.at(1).get<double>(), bin.at(2).get<double>()});
    return bins;
}

}  // namespace fearnet::lab
