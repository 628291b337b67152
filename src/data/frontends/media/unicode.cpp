#include "data/frontends/media/unicode.hpp"

#include <unordered_map>

namespace fearnet::unicode {
namespace {

bool within(std::span<const std::uint32_t> ranges, char32_t c) {
    std::size_t low = 0, high = ranges.size() / 2;
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (c > ranges[2 * middle + 1])
            low = middle + 1;
        else
            high = middle;
    }
    return low < ranges.size() / 2 && c >= ranges[2 * low];
}

std::unordered_map<char32_t, std::u32string> read_foldings() {
    std::unordered_map<char32_t, std::u32string> out;
    char32_t c = 0;
    for (std::size_t i = 0; i < kFoldings.size(); i += 2) {
        c += kFoldings[i];
        const char32_t to = kFoldings[i + 1];
        out[c] = std::u32string(to ? 1 : 0, to);
    }
    for (std::size_t i = 0; i < kLongFoldings.size(); i += 4)
        for (std::size_t part = 1; part < 4 && kLongFoldings[i + part]; ++part)
            out[kLongFoldings[i]] += static_cast<char32_t>(kLongFoldings[i + part]);
    return out;
}

// The Unicode Standard, section 3.12: a syllable is its leading consonant, vowel and trailing consonant.
std::u32string hangul_parts(char32_t c) {
    constexpr char32_t kLeading = 0x1100, kVowel = 0x1161, kTrailing = 0x11a7, kVowels = 21, kTrailings = 28;
    const char32_t index = c - 0xac00;
    std::u32string out{kLeading + index / (kVowels * kTrailings), kVowel + index / kTrailings % kVowels};
    if (index % kTrailings) out += kTrailing + index % kTrailings;
    return out;
}

}  // namespace

bool is_space(char32_t c) {
    return c == ' ' || (c >= 0x9 && c <= 0xd) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
           c == 0x3000;
}

bool is_control(char32_t c) {
    return within(kControls, c);
}

bool is_punctuation(char32_t c) {
    if (c < 0x80)
        return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c < 0x7f);
    return within(kPunctuation, c);
}

bool is_chinese(char32_t c) {
    return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df) ||
           (c >= 0x2a700 && c <= 0x2b73f) || (c >= 0x2b740 && c <= 0x2b81f) ||
           (c >= 0x2b920 && c <= 0x2ceaf) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

std::u32string fold(char32_t c) {
    if (c < 0x80) return std::u32string(1, c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    if (c >= 0xac00 && c <= 0xd7a3) return hangul_parts(c);
    static const std::unordered_map<char32_t, std::u32string> foldings = read_foldings();
    const auto found = foldings.find(c);
    return found == foldings.end() ? std::u32string(1, c) : found->second;
}

}  // namespace fearnet::unicode
