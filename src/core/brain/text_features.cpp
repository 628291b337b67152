#include "core/brain/text_features.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/base/utf8.hpp"
#include "fearnet/error.hpp"
#include "fearnet/rng.hpp"

namespace fearnet {
namespace {

bool is_blank(char32_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || (c >= 0x2000 && c <= 0x200a) ||
           c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x3000;
}

std::u32string normalized(std::string_view text) {
    std::u32string result = U" ";
    for (char32_t c = 0; next_code_point(text, c);) {
        if (!is_blank(c))
            result += lower_case(c);
        else if (result.back() != ' ')
            result += ' ';
    }
    if (!text.empty()) throw Error("text_features: the text is not UTF-8");
    if (result.back() != ' ') result += ' ';
    return result;
}

}  // namespace

char32_t lower_case(char32_t c) {
    const auto in = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
    if (in('A', 'Z') || (in(0xc0, 0xde) && c != 0xd7)) return c + 32;
    // In Latin Extended a capital has an even code point and its small letter the next one, except for two
    // ranges with the opposite parity.
    if (in(0x139, 0x148) || in(0x179, 0x17e)) return c % 2 == 1 ? c + 1 : c;
    if ((in(0x100, 0x137) && c != 0x130 && c != 0x131) || in(0x14a, 0x177) || in(0x1e00, 0x1e95) ||
        in(0x1ea0, 0x1eff))
        return c | 1;
    if (in(0x391, 0x3a9) && c != 0x3a2) return c + 32;
    if (in(0x400, 0x40f)) return c + 80;
    if (in(0x410, 0x42f)) return c + 32;
    if (in(0x460, 0x481) || in(0x48a, 0x4bf) || in(0x4d0, 0x52f)) return c | 1;
    return c;
}

void text_features(std::string_view text, std::span<float> out) {
    std::fill(out.begin(), out.end(), 0.0f);
    const std::u32string points = normalized(text);
    for (std::size_t start = 0; start < points.size(); ++start) {
        std::uint64_t hash = 0;
        for (std::size_t end = start; end < std::min(start + kLongestGram, points.size()); ++end) {
            hash = mix64(hash ^ points[end]);
            out[hash % out.size()] += hash >> 63 ? 1.0f : -1.0f;
        }
    }
    for (float& value : out) value = std::copysign(std::sqrt(std::abs(value)), value);
}

}  // namespace fearnet
