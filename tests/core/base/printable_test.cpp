// Text from outside, made safe to show.
#include "fearnet/error.hpp"

#include <gtest/gtest.h>

#include "core/base/utf8.hpp"

namespace fearnet {
namespace {

// From the Unicode standard: Cc, the line and paragraph separators, Bidi_Control.
bool is_unsafe(char32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0x61c || c == 0x200e ||
           c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

TEST(Printable, every_unsafe_character_is_escaped_and_no_other_is_touched) {
    for (char32_t c = 0; c <= 0x10ffff; ++c) {
        std::string text;
        if (!append_utf8(text, c)) continue;
        const std::string shown = printable(text);
        ASSERT_EQ(shown != text, is_unsafe(c)) << std::uint32_t(c);
        ASSERT_EQ(name_problem(text).empty(), !is_unsafe(c)) << std::uint32_t(c);
        ASSERT_EQ(shown.starts_with('\\'), is_unsafe(c) || c == '\\') << std::uint32_t(c);
    }
}

TEST(Printable, escapes_are_readable_and_stay_as_they_are) {
    EXPECT_EQ(printable("\x1b]0;x\a caf\xc3\xa9\n\t\x7f\xc2\x9b\xe2\x80\xae"),
              "\\u001b]0;x\\u0007 caf\xc3\xa9\\n\\t\\u007f\\u009b\\u202e");
    EXPECT_EQ(printable("\xff\xc3(\xed\xa0\x80"), "\\xff\\xc3(\\xed\\xa0\\x80") << "not UTF-8";
    EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\u0000b");
    EXPECT_EQ(printable(printable("\x1b\xff\n")), printable("\x1b\xff\n"));
    EXPECT_EQ(printable_lines("a\tb\n\x1b"), "a\tb\n\\u001b");
}

TEST(Printable, a_name_is_short_and_safe) {
    EXPECT_EQ(name_problem("Waldrapp (\xe7\x8c\xab)"), "");
    EXPECT_EQ(name_problem(std::string(256, 'x')), "");
    EXPECT_NE(name_problem(std::string(257, 'x')).find("257"), std::string::npos);
    EXPECT_NE(name_problem(""), "");
    EXPECT_NE(name_problem("\xff"), "");
}

TEST(Printable, an_error_is_safe_whatever_it_quotes) {
    EXPECT_STREQ(Error("'\x1b[2J\n\xff'").what(), "'\\u001b[2J\\n\\xff'");
    EXPECT_STREQ(Cancelled("a\x9b").what(), "a\\x9b: cancelled");
}

}  // namespace
}  // namespace fearnet
