#include <cmath>
#include <limits>

#include "fearnet/error.hpp"
#include "fearnet/lab/results.hpp"
#include "lab/protocol/protocol_json.hpp"
#include "lab/results/json_parts.hpp"

namespace fearnet::lab {
namespace {

using Json = nlohmann::ordered_json;

// NaN is null: JSON has none.
Json real(double value) {
    return std::isnan(value) ? Json(nullptr) : Json(value);
}
double real(const Json& json) {
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json scores(const OmegaScores& s) {
    return Json::array({real(s.omega_base), real(s.omega_new), real(s.omega_all)});
}
OmegaScores scores(const Json& json) {
    return {real(json.at(0)), real(json.at(1)), real(json.at(2))};
}
Json accuracy(const SessionAccuracy& a) {
    return Json::array({a.base, a.recent, a.all});
}
SessionAccuracy accuracy(const Json& json) {
    return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

// The fields of a struct of doubles in a fixed order.
constexpr double Detection::*kDetection[] = {&Detection::auroc, &Detection::fpr95, &Detection::auroc_noise,
                                             &Detection::auroc_uniform, &Detection::auroc_far_data};
constexpr double Coverage::*kCoverage[] = {&Coverage::familiar_95, &Coverage::familiar_99, &Coverage::set_90,
                                           &Coverage::set_size, &Coverage::set_empty};

template <class Struct, std::size_t n>
Json reals(const Struct& object, double Struct::*const (&fields)[n]) {
    Json json = Json::array();
    for (const auto field : fields) json.push_back(real(object.*field));
    return json;
}
template <class Struct, std::size_t n>
void read_reals(const Json& json, double Struct::*const (&fields)[n], Struct& object) {
    for (std::size_t i = 0; i < n; ++i) object.*fields[i] = real(json.at(i));
}

Json open_world(const OpenWorldRecord& r) {
    Json json{{"detection", Json::array()},
              {"coverage", reals(r.coverage, kCoverage)},
              {"calibration_error", real(r.calibration_error)},
              {"reliability", reliability_json(r.reliability)}};
    for (const Detection& d : r.detection) json["detection"].push_back(reals(d, kDetection));
    return json;
}
OpenWorldRecord open_world(const Json& json) {
    OpenWorldRecord r;
    for (std::size_t d = 0; d < kDetectors; ++d)
        read_reals(json.at("detection").at(d), kDetection, r.detection[d]);
    read_reals(json.at("coverage"), kCoverage, r.coverage);
    r.calibration_error = real(json.at("calibration_error"));
    r.reliability = parse_reliability(json.at("reliability"));
    return r;
}

Json session(const SessionRecord& s) {
    Json json{{"session", s.session},
              {"class", s.class_name},
              {"classes_seen", s.classes_seen},
              {"slept", s.slept},
              {"accuracy", accuracy(s.accuracy)},
              {"offline", accuracy(s.offline)},
              {"memory_bytes", s.memory_bytes},
              {"seconds", s.seconds}};
    if (s.oracle) json["oracle"] = accuracy(*s.oracle);
    if (s.open_world) json["open_world"] = open_world(*s.open_world);
    return json;
}

SessionRecord session(const Json& json) {
    SessionRecord s;
    s.session = json.at("session").get<std::size_t>();
    s.class_name = json.at("class").get<std::string>();
    s.classes_seen = json.at("classes_seen").get<std::size_t>();
    s.slept = json.at("slept").get<bool>();
    s.accuracy = accuracy(json.at("accuracy"));
    s.offline = accuracy(json.at("offline"));
    s.memory_bytes = json.at("memory_bytes").get<std::size_t>();
    s.seconds = json.at("seconds").get<double>();
    if (json.contains("oracle")) s.oracle = accuracy(json.at("oracle"));
    if (json.contains("open_world")) s.open_world = open_world(json.at("open_world"));
    return s;
}

RunRecord record(const Json& json) {
    RunRecord r;
    r.dataset = json.at("dataset").get<std::string>();
    r.learner = json.at("learner").get<std::string>();
    r.preset = json.at("preset").get<std::string>();
    r.seed = json.at("seed").get<std::uint64_t>();
    r.protocol = get_protocol(json);
    r.finished = json.at("finished").get<bool>();
    r.offline_accuracy = real(json.at("offline_accuracy"));
    r.final_accuracy = real(json.at("final_accuracy"));
    r.omega = scores(json.at("omega"));
    r.omega_restricted = scores(json.at("omega_restricted"));
    if (json.contains("omega_oracle")) r.omega_oracle = scores(json.at("omega_oracle"));
    r.memory = json.at("memory").get<MemoryUse>();
    r.seconds = json.at("seconds").get<std::map<std::string, double>>();
    r.options = json.at("options").get<std::map<std::string, std::string>>();
    for (const Json& s : json.at("sessions")) r.sessions.push_back(session(s));
    if (!r.sessions.empty()) r.classes = r.sessions.back().classes_seen;
    std::vector<OpenWorldRecord> measured;  // the summary follows from the sessions
    for (const SessionRecord& s : r.sessions)
        if (s.open_world) measured.push_back(*s.open_world);
    if (!measured.empty()) r.open_world = summarize_open_world(measured);
    return r;
}

}  // namespace

std::string run_record_json(const RunRecord& r) {
    Json json{{"dataset", r.dataset},
              {"learner", r.learner},
              {"preset", r.preset},
              {"seed", r.seed},
              {"finished", r.finished},
              {"offline_accuracy", real(r.offline_accuracy)},
              {"final_accuracy", real(r.final_accuracy)},
              {"omega", scores(r.omega)},
              {"omega_restricted", scores(r.omega_restricted)}};
    put_protocol(json, r.protocol);
    if (r.omega_oracle) json["omega_oracle"] = scores(*r.omega_oracle);
    json["memory"] = r.memory;
    json["seconds"] = r.seconds;
    json["options"] = r.options;
    json["sessions"] = Json::array();
    for (const SessionRecord& s : r.sessions) json["sessions"].push_back(session(s));
    return json_text(json, 1);
}

RunRecord parse_run_record(const std::string& text, const std::string& what) {
    try {
        return record(parse_json(text));
    } catch (const nlohmann::json::exception& error) {
        throw Error(what + ": not a finished run (" + error.what() + ")");
    }
}

}  // namespace fearnet::lab
