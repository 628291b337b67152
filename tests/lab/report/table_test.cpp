#include "lab/report/table.hpp"

#include <gtest/gtest.h>

namespace fearnet::lab {
namespace {

Table some_table() {
    return {
        "A <caption>",
        "class=\"x\"",
        {{{""}, {"both", "", "", 2}}, {{"row"}, {"one"}, {"two"}}},
        {{{{"a & b"}, {"1.5", "<b>1.5</b>"}, {"\u03a9", "", "class=\"n\""}}, {{"c"}, {"100.25"}, {"2"}}}}};
}

TEST(Table, lines_its_columns_up_for_a_terminal) {
    EXPECT_EQ(terminal_table(some_table(), Align::right),
              "        both -------\n"
              "  row      one   two\n"
              "a & b      1.5     \u03a9\n"
              "    c   100.25     2\n");
    EXPECT_EQ(terminal_table(some_table(), Align::left),
              "        both -------\n"
              "row     one      two\n"
              "a & b   1.5      \u03a9\n"
              "c       100.25   2\n");
}

TEST(Table, escapes_its_texts_in_html) {
    EXPECT_EQ(
        html_table(some_table()),
        "<table class=\"x\">\n<caption><span>A &lt;caption&gt;</span></caption>\n"
        "<thead><tr><th scope=\"col\"></th><th scope=\"colgroup\" colspan=\"2\">both</th></tr>\n"
        "<tr><th scope=\"col\">row</th><th scope=\"col\">one</th><th scope=\"col\">two</th></tr></thead>\n"
        "<tbody>\n<tr><th scope=\"row\">a &amp; b</th><td><b>1.5</b></td><td class=\"n\">\u03a9</td></tr>\n"
        "<tr><th scope=\"row\">c</th><td>100.25</td><td>2</td></tr>\n</tbody>\n</table>\n");
}

}  // namespace
}  // namespace fearnet::lab
