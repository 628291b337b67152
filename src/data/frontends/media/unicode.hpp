// What BERT's tokenizer must know of Unicode.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace fearnet::unicode {

bool is_space(char32_t c);
bool is_control(char32_t c);      // categories Cc, Cf and Co; tab and line ends too
bool is_punctuation(char32_t c);  // categories P, and what else is neither letter, digit nor space in ASCII
bool is_chinese(char32_t c);      // a CJK ideograph, which is a word of its own

// The parts of the canonical decomposition of `c` that are not nonspacing marks, in lower case; at most
// three.
std::u32string fold(char32_t c);

// Tables (unicode_tables.cpp). The first two hold first and last character of ranges. kFoldings holds pairs:
// how far a character is from the one before, and what it folds to, 0 for nothing. kLongFoldings holds a
// character and three it folds to, the last of which may be 0. Characters in neither fold to themselves;
// Hangul syllables follow a rule.
extern const std::span<const std::uint32_t> kPunctuation, kControls, kFoldings, kLongFoldings;

}  // namespace fearnet::unicode
