#include "core/base/utf8.hpp"

namespace fearnet {
namespace {

constexpr char32_t kLast = 0x10ffff;

bool is_surrogate(char32_t c) {
    return c >= 0xd800 && c <= 0xdfff;
}

}  // namespace

bool append_utf8(std::string& out, char32_t c) {
    if (c > kLast || is_surrogate(c)) return false;
    const auto trailing = [&](int shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xc0 | c >> 6);
        trailing(0);
    } else if (c < 0x10000) {
        out += static_cast<char>(0xe0 | c >> 12);
        trailing(6), trailing(0);
    } else {
        out += static_cast<char>(0xf0 | c >> 18);
        trailing(12), trailing(6), trailing(0);
    }
    return true;
}

bool next_code_point(std::string_view& text, char32_t& c) {
    if (text.empty()) return false;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xc2 ? 0
                               : first < 0xe0 ? 2
                               : first < 0xf0 ? 3
                               : first < 0xf5 ? 4
                                              : 0;
    if (length == 0 || text.size() < length) return false;
    char32_t value = length == 1 ? first : first & (0x7f >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return false;
        value = value << 6 | (byte(i) & 0x3f);
    }
    constexpr char32_t kMin[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < kMin[length] || value > kLast || is_surrogate(value)) return false;
    text.remove_prefix(length);
    c = value;
    return true;
}

bool is_utf8(std::string_view text) {
    for (char32_t c = 0; !text.empty();)
        if (!next_code_point(text, c)) return false;
    return true;
}

}  // namespace fearnet
