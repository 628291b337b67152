#include "data/io/csv.hpp"

#include "support/data_files.hpp"

namespace fearnet::io {
namespace {

using test::expect_error;
using Labels = std::vector<std::string>;

CsvTable parse(std::string_view text) {
    return parse_csv(text, "a.csv");
}

TEST(Csv, without_a_header_the_last_column_is_the_label) {
    const CsvTable table = parse("1,2.5,cat\n-3e2,+4,dog\n");
    EXPECT_EQ(table.labels, (Labels{"cat", "dog"}));
    ASSERT_EQ(table.x.rows(), 2u);
    ASSERT_EQ(table.x.cols(), 2u);
    EXPECT_EQ(table.x(0, 1), 2.5f);
    EXPECT_EQ(table.x(1, 0), -300.0f);
    EXPECT_EQ(table.x(1, 1), 4.0f);
    EXPECT_TRUE(table.is_test.empty());
}

TEST(Csv, a_header_names_the_label_column_wherever_it_stands) {
    for (const char* name : {"label", "class", "y", "target", "Label", "\"CLASS\""}) {
        const CsvTable table = parse(std::string("a,") + name + ",b\n1,cat,2\n3,dog,4\n");
        EXPECT_EQ(table.labels, (Labels{"cat", "dog"})) << name;
        EXPECT_EQ(table.x(1, 1), 4.0f) << name;
    }
    EXPECT_EQ(parse("a,b,kind\n1,2,cat\n").labels, (Labels{"cat"}));
}

TEST(Csv, a_header_of_column_numbers_is_seen_but_a_label_called_y_is_data) {
    EXPECT_EQ(parse("0,1,label\n5,6,cat\n").labels, (Labels{"cat"}));
    EXPECT_EQ(parse("3,4,y\n5,6,n\n").labels, (Labels{"y", "n"}));
}

TEST(Csv, semicolons_tabs_quotes_blank_lines_and_line_ends_of_windows_are_read) {
    EXPECT_EQ(parse("1;2;a,b\r\n3;4;c\r\n").labels, (Labels{"a,b", "c"}));
    EXPECT_EQ(parse("1\t2\ta b\n\n3\t4\tc").labels, (Labels{"a b", "c"}));
    EXPECT_EQ(parse("\n1, 2 , \"say \"\"no\"\", now\"\r\n\"3\",4,\"two\nlines\"\n").labels,
              (Labels{"say \"no\", now", "two\nlines"}));
    EXPECT_EQ(parse("\xef\xbb\xbflabel,a\nx,1\n").labels, (Labels{"x"}));
}

TEST(Csv, a_split_column_is_honoured) {
    const CsvTable table = parse("a,label,split\n1,x,train\n2,x,TEST\n");
    EXPECT_EQ(table.is_test, (std::vector<bool>{false, true}));
    EXPECT_EQ(table.x.cols(), 1u);
    EXPECT_EQ(parse("a,kind,split\n1,x,train\n").labels, (Labels{"x"}))
        << "the last column but split is the label";
    expect_error([] { parse("a,label,split\n1,x,train\n2,x,dev\n"); }, {"a.csv, line 3", "'dev'"});
}

TEST(Csv, when_no_labels_are_wanted_a_last_column_of_numbers_is_a_feature) {
    const CsvOptions none{.labels = false};
    for (const char* text :
         {"1,2,3\n4,5,6\n", "a,b,c\n1,2,3\n4,5,6\n", "a,b,c,split\n1,2,3,train\n4,5,6,test\n"}) {
        const CsvTable table = parse_csv(text, "a.csv", none);
        EXPECT_EQ(table.x.cols(), 3u) << text;
        EXPECT_TRUE(table.labels.empty()) << text;
    }
    for (const char* text : {"1,2,x\n4,5,y\n", "a,b,label\n1,2,3\n4,5,6\n"}) {
        const CsvTable table = parse_csv(text, "a.csv", none);
        EXPECT_EQ(table.x.cols(), 2u) << text;
        EXPECT_EQ(table.labels.size(), 2u) << text;
    }
    EXPECT_EQ(parse_csv("7\n8\n", "a.csv", none).x.cols(), 1u);
}

TEST(Csv, the_user_says_which_column_holds_the_labels) {
    const std::string named = "a,kind,b,label\n1,cat,2,7\n3,dog,4,8\n", plain = "1,cat,2\n3,dog,4\n";
    for (const char* column : {"kind", "2"}) {
        const CsvTable table = parse_csv(named, "a.csv", {.label_column = column, .drop = {"label"}});
        EXPECT_EQ(table.labels, (Labels{"cat", "dog"})) << column;
        EXPECT_EQ(table.x.cols(), 2u) << column;
        EXPECT_EQ(table.x(1, 1), 4.0f) << column;
        EXPECT_EQ(table.columns.label.name, "kind");
        EXPECT_EQ(table.columns.features.at(1).number, 3u);
        EXPECT_FALSE(table.columns.label_is_guess);
    }
    EXPECT_EQ(parse_csv(plain, "a.csv", {.label_column = "2"}).x.rows(), 2u) << "there is no header";
    EXPECT_EQ(parse_csv(named, "a.csv", {.label_column = "a", .drop = {"kind"}}).labels, (Labels{"1", "3"}));
    EXPECT_TRUE(parse("a,b,kind\n1,2,cat\n").columns.label_is_guess);
}

TEST(Csv, dropped_columns_may_hold_anything) {
    CsvTable table = parse_csv("id,a,b,label\nx17,1,2,cat\nx18,3,4,dog\n", "a.csv", {.drop = {"id"}});
    EXPECT_EQ(table.x.cols(), 2u);
    EXPECT_EQ(table.x(1, 0), 3.0f);
    table = parse_csv("x17,1,2,cat\nx18,3,4,dog\n", "a.csv", {.drop = {"1"}});
    EXPECT_EQ(table.x.rows(), 2u) << "the first line is a row";
    EXPECT_EQ(table.labels, (Labels{"cat", "dog"}));
    table = parse_csv("1,2,cat,note\n3,4,dog,\n", "a.csv", {.features = 2, .drop = {"3", "4"}});
    EXPECT_TRUE(table.labels.empty());
    table = parse_csv("a,split,label\n1,left,x\n", "a.csv", {.drop = {"split"}});
    EXPECT_TRUE(table.is_test.empty());
}

TEST(Csv, columns_that_are_not_there_are_refused_with_those_that_are) {
    const auto refuse = [](const std::string& text, CsvOptions options,
                           std::initializer_list<const char*> told) {
        expect_error([&] { parse_csv(text, "a.csv", options); }, told);
    };
    const std::string named = "a,b,label\n1,2,x\n";
    refuse(named, {.label_column = "kind"}, {"a.csv, line 1", "--label-column 'kind'", "a, b, label"});
    refuse(named, {.drop = {"4"}}, {"--drop '4'", "1 to 3"});
    refuse(named, {.drop = {"0"}}, {"--drop '0'", "1 to 3"});
    refuse(named, {.drop = {"99999999999999999999"}}, {"1 to 3"});
    refuse(named, {.label_column = "a", .drop = {"a"}}, {"both --label-column and --drop"});
    refuse(named, {.drop = {"a", "b"}}, {"found 3 columns"});
    refuse("1,2,x\n", {.drop = {"id"}}, {"--drop 'id'", "no header line"});
    refuse("a,a,label\n1,2,x\n", {.drop = {"a"}}, {"two columns", "number"});
}

TEST(Csv, errors_name_the_line_and_the_column) {
    expect_error([] { parse("1,2,x\n1,inf,x\n"); }, {"line 2", "column 2", "'inf' is not a finite number"});
    expect_error([] { parse("a,b,label\n1,2,x\n1,oops,x\n"); },
                 {"a.csv, line 3", "column 2 ('b')", "'oops'"});
    expect_error([] { parse("1,2,x\n1,,x\n"); }, {"line 2", "column 2", "''"});
    expect_error([] { parse("1,2,x\n1,2,3,x\n"); }, {"line 2", "expected 3 columns, found 4"});
    expect_error([] { parse("1,2,\"x\ny\"\n1,2,\"x\n"); }, {"line 3", "does not end"});
    expect_error([] { parse("1,2,\"x\" y\n"); }, {"line 1", "closing quote"});
    expect_error([] { parse("1,2,x\n1,2,\n"); }, {"line 2", "label is empty"});
    expect_error([] { parse("label,class,b\n1,2,3\n"); }, {"line 1", "two label columns"});
    expect_error([] { parse("5\n6\n"); }, {"line 1", "found 1 column"});
    expect_error([] { parse("split\ntest\n"); }, {"found 1 column"});
    expect_error([] { parse(""); }, {"a.csv", "empty"});
    expect_error([] { parse("a,b,label\n"); }, {"no rows"});
}

TEST(Csv, damaged_files_give_an_error_or_a_table) {
    const std::string text = "a;\"b\";label;split\r\n1;2;\"x\"\"\";train\n3;-4e1;y;test\n";
    test::read_damaged(Bytes(text.begin(), text.end()), [](const Bytes& b) { parse(as_text(b)); });
}

}  // namespace
}  // namespace fearnet::io
