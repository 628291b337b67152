// Hashed character n-grams of a text.
#pragma once

#include <span>
#include <string_view>

namespace fearnet {

inline constexpr std::size_t kTextFeatures = 1024;
inline constexpr std::size_t kLongestGram = 3;

// Counts the n-grams of 1, 2 and 3 code points in `text`, hashed with a sign into out.size() features, and
// takes the signed square root of every count. Case is ignored where a table-free rule exists (Latin,
// Greek, Cyrillic); blanks count as one space, and one is put at both ends. Throws Error when `text` is not
// UTF-8. The hash is fixed: the same text gives the same features everywhere.
void text_features(std::string_view text, std::span<float> out);

// The lower-case form of a code point, if text_features has a rule for it.
char32_t lower_case(char32_t c);

}  // namespace fearnet
