#include "common/message.hpp"

#include <algorithm>
#include <cctype>

namespace fearnet::apps {

std::string without_function(const std::string& message) {
    const std::size_t end = message.find(": ");
    const std::string first = message.substr(0, std::min(end, message.size()));
    const bool word = std::all_of(first.begin(), first.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == ':';
    });
    return word && end != message.npos && first.find("::") != first.npos ? message.substr(end + 2) : message;
}

}  // namespace fearnet::apps
