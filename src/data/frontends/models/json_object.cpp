#include "data/frontends/models/json_object.hpp"

#include <cmath>

namespace fearnet {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 8;
constexpr std::size_t kMaxBytes = 1 << 20;

// 224, 0.5
std::string shown(double number) {
    return json(number == std::floor(number) && std::abs(number) < 1e15
                    ? json(static_cast<std::int64_t>(number))
                    : json(number))
        .dump();
}

}  // namespace

JsonObject JsonObject::parse(std::string_view text, const std::string& what) {
    if (text.size() > kMaxBytes)
        throw Error(what + ": a description of " + std::to_string(text.size()) + " bytes; at most " +
                    std::to_string(kMaxBytes) + " are allowed");
    std::vector<std::set<std::string>> keys;
    const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
        if (static_cast<std::size_t>(depth) > kMaxDepth) throw Error(what + ": JSON nested too deeply");
        if (event == json::parse_event_t::object_start) keys.emplace_back();
        if (event == json::parse_event_t::object_end) keys.pop_back();
        if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
            throw Error(what + ": the key '" + parsed.get<std::string>() + "' appears twice");
        return true;
    };
    json parsed;
    try {
        parsed = json::parse(text.begin(), text.end(), check);
    } catch (const json::exception& error) {
        throw Error(what + ": not JSON: " + error.what());
    }
    if (!parsed.is_object()) throw Error(what + ": a JSON object is expected");
    return {std::move(parsed), what, ""};
}

JsonObject::JsonObject(json object, std::string what, std::string path)
    : json_(std::move(object)), what_(std::move(what)), path_(std::move(path)) {}

void JsonObject::fail(const std::string& key, const std::string& problem) const {
    throw Error(what_ + ": " + path_ + key + ": " + problem);
}

const json& JsonObject::value(const std::string& key) {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(key, "missing");
    read_.insert(key);
    return *found;
}

std::string JsonObject::text(const std::string& key, std::size_t most) {
    const json& v = value(key);
    if (!v.is_string()) fail(key, "a text is expected");
    const auto& text = v.get_ref<const std::string&>();
    if (text.empty() || text.size() > most)
        fail(key, "a text of 1 to " + std::to_string(most) + " bytes is expected, not of " +
                      std::to_string(text.size()));
    if (printable(text) != text) fail(key, "a text without control characters is expected");
    return text;
}

std::size_t JsonObject::choice(const std::string& key, const std::vector<std::string_view>& choices) {
    const std::string chosen = text(key);
    std::string all;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (choices[i] == chosen) return i;
        all += (all.empty() ? "'" : ", '") + std::string(choices[i]) + "'";
    }
    fail(key, "'" + chosen + "' is not one of " + all);
}

bool JsonObject::boolean(const std::string& key, bool otherwise) {
    if (!has(key)) return otherwise;
    const json& v = value(key);
    if (!v.is_boolean()) fail(key, "true or false is expected");
    return v.get<bool>();
}

std::uint64_t JsonObject::whole(const std::string& key, std::uint64_t least, std::uint64_t most) {
    const json& v = value(key);
    if (!v.is_number_unsigned() || v.get<std::uint64_t>() < least || v.get<std::uint64_t>() > most)
        fail(key, "a whole number of " + std::to_string(least) + " to " + std::to_string(most) +
                      " is expected, not " + v.dump().substr(0, 40));
    return v.get<std::uint64_t>();
}

double JsonObject::number(const std::string& key, double least, double most) {
    const json& v = value(key);
    if (!v.is_number() || !(v.get<double>() >= least && v.get<double>() <= most))
        fail(key, "a number of " + shown(least) + " to " + shown(most) + " is expected, not " +
                      v.dump().substr(0, 40));
    return v.get<double>();
}

std::vector<double> JsonObject::numbers(const std::string& key, std::size_t count, double least,
                                        double most) {
    const json& v = value(key);
    std::vector<double> result;
    if (v.is_array() && v.size() == count)
        for (const json& entry : v)
            if (entry.is_number() && entry.get<double>() >= least && entry.get<double>() <= most)
                result.push_back(entry.get<double>());
    if (result.size() != count)
        fail(key, "a list of " + std::to_string(count) + " numbers of " + shown(least) + " to " +
                      shown(most) + " is expected");
    return result;
}

JsonObject JsonObject::object(const std::string& key) {
    const json& v = value(key);
    if (!v.is_object()) fail(key, "an object is expected");
    return {v, what_, path_ + key + "."};
}

std::vector<JsonObject> JsonObject::objects(const std::string& key, std::size_t most) {
    const json& v = value(key);
    if (!v.is_array() || v.empty() || v.size() > most)
        fail(key, "a list of 1 to " + std::to_string(most) + " objects is expected");
    std::vector<JsonObject> result;
    for (std::size_t i = 0; i < v.size(); ++i) {
        const std::string name = key + "[" + std::to_string(i) + "]";
        if (!v[i].is_object()) fail(name, "an object is expected");
        result.push_back(JsonObject(v[i], what_, path_ + name + "."));
    }
    return result;
}

void JsonObject::finish() const {
    for (const auto& [key, unused] : json_.items())
        if (!read_.contains(key)) fail(key, "unknown key");
}

}  // namespace fearnet
