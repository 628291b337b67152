// Reading JSON files that users write, and our own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "fearnet/error.hpp"
#include "fearnet/options.hpp"

namespace fearnet::lab {

// One object of a JSON file: takes its fields one by one and can refuse those that nobody asked for. Errors
// name the place, which is `where`.
class JsonObject {
  public:
    using Json = nlohmann::ordered_json;

    JsonObject(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
        if (!json.is_object()) fail("must be an object { ... }");
    }
    [[noreturn]] void fail(const std::string& message) const { throw Error(where_ + ": " + message); }

    const Json* find(const char* key) {
        taken_.insert(key);
        const auto it = json_.find(key);
        return it == json_.end() ? nullptr : &*it;
    }
    const Json& need(const char* key) {
        const Json* value = find(key);
        if (value == nullptr) fail(std::string("'") + key + "' is missing");
        return *value;
    }
    std::string text(const char* key) { return text_of(need(key), key); }
    std::string text_or(const char* key, const std::string& otherwise) {
        const Json* value = find(key);
        return value == nullptr ? otherwise : text_of(*value, key);
    }
    // The fields of a struct that describes itself (fearnet/options.hpp); those left out stay as they are.
    void options(const std::vector<OptionText>& options) {
        for (const OptionText& o : options) try {
                if (const Json* value = find(o.name.c_str())) o.parse(value->dump());
            } catch (const Error&) {
                fail(fmt::format("'{}' must be {}", o.name, o.allowed));
            }
    }
    template <class Number>
    void option(const char* key, Number& field, Number low, Number high) {
        OptionVisitor visitor;
        visitor.option(key, field, "", low, high);
        options(visitor.options);
    }
    std::vector<std::string> texts(const char* key) {
        std::vector<std::string> result;
        for (const Json& value : list(key)) result.push_back(text_of(value, key));
        refuse_doubles(result, key);
        return result;
    }
    std::vector<std::uint64_t> seeds(const char* key = "seeds") {
        std::vector<std::uint64_t> result;
        for (const Json& value : list(key)) {
            if (!value.is_number_unsigned()) fail(fmt::format("'{}' must be whole numbers, 0 or more", key));
            result.push_back(value.get<std::uint64_t>());
        }
        refuse_doubles(result, key);
        return result;
    }
    Settings settings(const Json& json, const char* key) const {
        if (!json.is_object()) fail(std::string("'") + key + "' must be an object { \"option\": value }");
        Settings result;
        for (const auto& [name, value] : json.items()) {
            if (value.is_structured() || value.is_null())
                fail("setting " + name + ": must be text, a number, true or false");
            result.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
        }
        return result;
    }
    // Empty when there is none.
    const Json& list(const char* key) {
        static const Json kEmpty = Json::array();
        const Json* value = find(key);
        if (value == nullptr) return kEmpty;
        if (!value->is_array()) fail(std::string("'") + key + "' must be a list [ ... ]");
        return *value;
    }
    // What `parse` makes of every object of a list, which messages call `place` and its number.
    template <class Parse>
    auto each(const char* key, const char* place, const Parse& parse) {
        std::vector<decltype(parse(*this))> result;
        for (const Json& entry : list(key))
            result.push_back(parse({entry, fmt::format("{}: {} {}", where_, place, result.size() + 1)}));
        return result;
    }
    const Json& json() const { return json_; }
    void refuse_others() const {
        for (const auto& [key, value] : json_.items())
            if (taken_.count(key) == 0) fail("'" + key + "' is not a field of it");
    }

  private:
    std::string text_of(const Json& value, const char* key) const {
        if (!value.is_string()) fail(std::string("'") + key + "' must be text");
        return value.get<std::string>();
    }
    template <class T>
    void refuse_doubles(std::vector<T> values, const char* key) const {
        std::sort(values.begin(), values.end());
        if (std::adjacent_find(values.begin(), values.end()) != values.end())
            fail(std::string("'") + key + "' has something twice");
    }
    const Json& json_;
    std::string where_;
    std::set<std::string> taken_;
};

}  // namespace fearnet::lab
