// "a, b, c", for messages.
#pragma once

#include <string>
#include <vector>

namespace fearnet {

inline std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

}  // namespace fearnet
