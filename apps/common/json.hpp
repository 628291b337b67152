// JSON that a program writes. json.cpp alone includes the header of nlohmann's library, which takes seconds
// to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fearnet::apps {

// One value. Implicit, so that {{"rows", 3}, {"label", "owl"}} is an object; its members keep their order.
class Json {
  public:
    struct Member;

    Json();  // null
    Json(std::initializer_list<Member> members);
    Json(const char* text);
    Json(const std::string& text);
    Json(double number);
    Json(bool value);
    Json(int number);
    Json(std::int64_t number);
    Json(std::size_t number);
    Json(const std::vector<std::string>& texts);
    Json(const std::map<std::string, std::string>& texts);
    Json(const std::map<std::string, std::size_t>& numbers);
    static Json array();
    Json(Json&& other) noexcept;
    Json& operator=(Json&& other) noexcept;
    ~Json();

    // To an array.
    void push_back(Json value);
    // To an object.
    void add(const char* key, Json value);

    // On one line, or with `indent` spaces per level. Bytes that are not UTF-8 become U+FFFD.
    std::string dump(int indent = -1) const;

  private:
    std::unique_ptr<nlohmann::ordered_json> value_;
};

struct Json::Member {
    const char* key;
    mutable Json value;  // the object takes it out of the initializer_list
};

}  // namespace fearnet::apps
