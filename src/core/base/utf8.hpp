// Text as Unicode code points.
#pragma once

#include <string>
#include <string_view>

namespace fearnet {

// Appends `c`; false, and nothing appended, when it is a surrogate or above U+10FFFF.
bool append_utf8(std::string& out, char32_t c);

// Removes the first code point from `text`. Returns false, with `text` unchanged, if it is empty or does not
// start with a complete, shortest-form UTF-8 sequence.
bool next_code_point(std::string_view& text, char32_t& c);

bool is_utf8(std::string_view text);

}  // namespace fearnet
