// Strict reading of one JSON object: every key must be expected, every value of the right type and in range.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fearnet/error.hpp"

namespace fearnet {

// Every function throws Error naming the file and the key. `finish` refuses keys that nobody asked for.
class JsonObject {
  public:
    // The whole text must be one object without repeated keys.
    static JsonObject parse(std::string_view text, const std::string& what);

    bool has(const std::string& key) const { return json_.contains(key); }
    std::string text(const std::string& key, std::size_t most = 200);
    // "" when the key is absent.
    std::string text_or_empty(const std::string& key) { return has(key) ? text(key) : std::string(); }
    // The place of the text in `choices`.
    std::size_t choice(const std::string& key, const std::vector<std::string_view>& choices);
    bool boolean(const std::string& key, bool otherwise);
    std::uint64_t whole(const std::string& key, std::uint64_t least, std::uint64_t most);
    double number(const std::string& key, double least, double most);
    std::vector<double> numbers(const std::string& key, std::size_t count, double least, double most);
    JsonObject object(const std::string& key);
    std::vector<JsonObject> objects(const std::string& key, std::size_t most);
    void finish() const;

    [[noreturn]] void fail(const std::string& key, const std::string& problem) const;

  private:
    JsonObject(nlohmann::json json, std::string what, std::string path);
    const nlohmann::json& value(const std::string& key);

    nlohmann::json json_;
    std::string what_;
    std::string path_;  // of this object in the file: "input."
    std::set<std::string> read_;
};

}  // namespace fearnet
