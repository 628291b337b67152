// Reading JSON files that users write, and our own.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "fearnet/error.hpp"
#include "fearnet/options.hpp"

namespace fearnet::lab {

// Throws nlohmann::json::exception for text that is not JSON.
nlohmann::ordered_json parse_json(const std::string& text);
// With `indent` spaces per level and a line break at the end. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::ordered_json& json, int indent);

// An object of a JSON file: reads its fields one by one and can refuse unknown fields. Errors name the place,
// `where`.
class JsonObject {
  public:
    using Json = nlohmann::ordered_json;

    JsonObject(const Json& json, std::string where);
    [[noreturn]] void fail(const std::string& message) const;

    const Json* find(const char* key);
    const Json& need(const char* key);
    std::string text(const char* key);
    std::string text_or(const char* key, const std::string& otherwise);
    // The fields of a struct that describes itself (fearnet/options.hpp); those left out stay as they are.
    void options(const std::vector<OptionText>& options);
    template <class Number>
    void option(const char* key, Number& field, Number low, Number high) {
        OptionVisitor visitor;
        visitor.option(key, field, "", low, high);
        options(visitor.options);
    }
    std::vector<std::string> texts(const char* key);
    std::vector<std::uint64_t> seeds(const char* key = "seeds");
    Settings settings(const Json& json, const char* key) const;
    // Empty when there is none.
    const Json& list(const char* key);
    // Calls `parse` for every object of a list; messages name it by `place` and its number.
    template <class Parse>
    auto each(const char* key, const char* place, const Parse& parse) {
        std::vector<decltype(parse(*this))> result;
        for (const Json& entry : list(key))
            result.push_back(parse({entry, where_ + ": " + place + " " + std::to_string(result.size() + 1)}));
        return result;
    }
    const Json& json() const { return json_; }
    void refuse_others() const;

  private:
    std::string text_of(const Json& value, const char* key) const;

    const Json& json_;
    std::string where_;
    std::set<std::string> taken_;
};

}  // namespace fearnet::lab
