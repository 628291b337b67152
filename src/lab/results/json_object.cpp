#include "lab/results/json_object.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fearnet::lab {
namespace {

template <class T>
bool has_duplicates(std::vector<T> values) {
    std::sort(values.begin(), values.end());
    return std::adjacent_find(values.begin(), values.end()) != values.end();
}

}  // namespace

nlohmann::ordered_json parse_json(const std::string& text) {
    return nlohmann::ordered_json::parse(text);
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
    return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

JsonObject::JsonObject(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("must be an object { ... }");
}

void JsonObject::fail(const std::string& message) const {
    throw Error(where_ + ": " + message);
}

const JsonObject::Json* JsonObject::find(const char* key) {
    taken_.insert(key);
    const auto it = json_.find(key);
    return it == json_.end() ? nullptr : &*it;
}

const JsonObject::Json& JsonObject::need(const char* key) {
    const Json* value = find(key);
    if (value == nullptr) fail(std::string("'") + key + "' is missing");
    return *value;
}

std::string JsonObject::text(const char* key) {
    return text_of(need(key), key);
}

std::string JsonObject::text_or(const char* key, const std::string& otherwise) {
    const Json* value = find(key);
    return value == nullptr ? otherwise : text_of(*value, key);
}

void JsonObject::options(const std::vector<OptionText>& options) {
    for (const OptionText& o : options) try {
            if (const Json* value = find(o.name.c_str())) o.parse(value->dump());
        } catch (const Error&) {
            fail(fmt::format("'{}' must be {}", o.name, o.allowed));
        }
}

std::vector<std::string> JsonObject::texts(const char* key) {
    std::vector<std::string> result;
    for (const Json& value : list(key)) result.push_back(text_of(value, key));
    if (has_duplicates(result)) fail(std::string("'") + key + "' has something twice");
    return result;
}

std::vector<std::uint64_t> JsonObject::seeds(const char* key) {
    std::vector<std::uint64_t> result;
    for (const Json& value : list(key)) {
        if (!value.is_number_unsigned()) fail(fmt::format("'{}' must be whole numbers, 0 or more", key));
        result.push_back(value.get<std::uint64_t>());
    }
    if (has_duplicates(result)) fail(std::string("'") + key + "' has something twice");
    return result;
}

Settings JsonObject::settings(const Json& json, const char* key) const {
    if (!json.is_object()) fail(std::string("'") + key + "' must be an object { \"option\": value }");
    Settings result;
    for (const auto& [name, value] : json.items()) {
        if (value.is_structured() || value.is_null())
            fail("setting " + name + ": must be text, a number, true or false");
        result.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
    return result;
}

const JsonObject::Json& JsonObject::list(const char* key) {
    static const Json kEmpty = Json::array();
    const Json* value = find(key);
    if (value == nullptr) return kEmpty;
    if (!value->is_array()) fail(std::string("'") + key + "' must be a list [ ... ]");
    return *value;
}

void JsonObject::refuse_others() const {
    for (const auto& [key, value] : json_.items())
        if (taken_.count(key) == 0) fail("'" + key + "' is not a field of it");
}

std::string JsonObject::text_of(const Json& value, const char* key) const {
    if (!value.is_string()) fail(std::string("'") + key + "' must be text");
    return value.get<std::string>();
}

}  // namespace fearnet::lab
