#include "server/http/target.hpp"

#include <algorithm>
#include <cctype>

namespace fearnet::server {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

void parse_target(const std::string& target, Request& request) {
    const std::size_t question = target.find('?');
    request.target = target.substr(0, question);
    std::size_t at = 1;
    while (at <= request.target.size()) {
        const std::size_t slash = std::min(request.target.find('/', at), request.target.size());
        request.path.push_back(percent_decoded(request.target.substr(at, slash - at), false));
        at = slash + 1;
    }
    if (question == target.npos) return;
    const std::string query = target.substr(question + 1);
    for (at = 0; at < query.size();) {
        const std::size_t end = std::min(query.find('&', at), query.size());
        const std::string pair = query.substr(at, end - at);
        const std::size_t equals = std::min(pair.find('='), pair.size());
        if (!pair.empty())
            request.query[percent_decoded(pair.substr(0, equals), true)] =
                equals < pair.size() ? percent_decoded(pair.substr(equals + 1), true) : "";
        at = end + 1;
    }
}

std::string percent_decoded(const std::string& text, bool plus_is_space) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
            hex_digit(text[i + 2]) >= 0) {
            const auto byte =
                static_cast<unsigned char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
            if (byte >= 0x20 && byte != 0x7f) {
                decoded += static_cast<char>(byte);
                i += 2;
                continue;
            }
        }
        decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
    return decoded;
}

std::string percent_encoded(const std::string& text) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~')
            encoded += c;
        else
            encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return encoded;
}

}  // namespace fearnet::server
