// How text stands in a CSV file.
#pragma once

#include <string>

namespace fearnet::lab {

// RFC 4180: quoted when it has to be, quotes doubled.
inline std::string csv_text(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

}  // namespace fearnet::lab
