// The JSON that requests send: a few texts, lists of texts, and rows of numbers. Nothing else is accepted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/matrix.hpp"

namespace fearnet::server {

struct JsonBody {
    std::map<std::string, std::string> texts;                           // "label": "owl"
    std::map<std::string, std::vector<std::string>> lists;              // "labels": ["owl", "wren"]
    std::map<std::string, std::map<std::string, std::string>> objects;  // "options": {"due.sessions": "5"}
    std::optional<Matrix> rows;                                         // "rows": [[0.1, 0.2], [0.3, 0.4]]

    // The text of a key that must be there. Throws Failure 400.
    const std::string& text(const std::string& key) const;
};

// `keys` are those that may occur. Numbers and booleans in texts become text. Throws Failure 400 with the
// position of the first problem.
JsonBody parse_json_body(const std::string& body, const std::vector<std::string>& keys);

}  // namespace fearnet::server
