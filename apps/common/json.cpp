#include "common/json.hpp"

#include <nlohmann/json.hpp>

namespace fearnet::apps {
namespace {

using Value = nlohmann::ordered_json;

}  // namespace

Json::Json() : value_(std::make_unique<Value>()) {}
Json::Json(std::initializer_list<Member> members) : value_(std::make_unique<Value>(Value::object())) {
    for (const Member& member : members) add(member.key, std::move(member.value));
}
Json::Json(const char* text) : value_(std::make_unique<Value>(text)) {}
Json::Json(const std::string& text) : value_(std::make_unique<Value>(text)) {}
Json::Json(bool value) : value_(std::make_unique<Value>(value)) {}
Json::Json(int number) : value_(std::make_unique<Value>(number)) {}
Json::Json(std::int64_t number) : value_(std::make_unique<Value>(number)) {}
Json::Json(std::size_t number) : value_(std::make_unique<Value>(number)) {}
Json::Json(double number) : value_(std::make_unique<Value>(number)) {}
Json::Json(const std::vector<std::string>& texts) : value_(std::make_unique<Value>(texts)) {}
Json::Json(const std::map<std::string, std::string>& texts) : value_(std::make_unique<Value>(texts)) {}
Json::Json(const std::map<std::string, std::size_t>& numbers) : value_(std::make_unique<Value>(numbers)) {}
Json Json::array() {
    Json json;
    *json.value_ = Value::array();
    return json;
}
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

void Json::push_back(Json value) {
    value_->push_back(std::move(*value.value_));
}

void Json::add(const char* key, Json value) {
    (*value_)[key] = std::move(*value.value_);
}

std::string Json::dump(int indent) const {
    return value_->dump(indent, ' ', false, Value::error_handler_t::replace);
}

}  // namespace fearnet::apps
