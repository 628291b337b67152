#include "fearnet/error.hpp"

#include "core/base/utf8.hpp"

namespace fearnet {
namespace {

constexpr char kHex[] = "0123456789abcdef";

bool is_control(char32_t c) {
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029;
}
// U+061C, U+200E, U+200F, the embeddings and overrides, the isolates.
bool is_bidirectional(char32_t c) {
    return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

void append_escaped(std::string& out, char32_t c) {
    if (c == '\n') {
        out += "\\n";
    } else if (c == '\t') {
        out += "\\t";
    } else {
        out += "\\u";
        for (int shift = 12; shift >= 0; shift -= 4) out += kHex[c >> shift & 0xf];
    }
}

std::string escaped(std::string_view text, bool keep_lines) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::string_view before = text;
        char32_t c = 0;
        if (!next_code_point(text, c)) {
            const auto byte = static_cast<unsigned char>(text.front());
            ((out += "\\x") += kHex[byte >> 4]) += kHex[byte & 0xf];
            text.remove_prefix(1);
        } else if ((is_control(c) || is_bidirectional(c)) && !(keep_lines && (c == '\n' || c == '\t'))) {
            append_escaped(out, c);
        } else {
            out += before.substr(0, before.size() - text.size());
        }
    }
    return out;
}

}  // namespace

std::string printable(std::string_view text) {
    return escaped(text, false);
}

std::string printable_lines(std::string_view text) {
    return escaped(text, true);
}

std::string name_problem(std::string_view name) {
    if (name.empty()) return "is empty";
    if (name.size() > kMaxNameBytes)
        return "has " + std::to_string(name.size()) + " bytes; a name has at most " +
               std::to_string(kMaxNameBytes);
    for (char32_t c = 0; !name.empty();) {
        if (!next_code_point(name, c)) return "is not UTF-8";
        if (is_control(c)) return "contains a control character";
        if (is_bidirectional(c)) return "contains a bidirectional control character";
    }
    return "";
}

}  // namespace fearnet
