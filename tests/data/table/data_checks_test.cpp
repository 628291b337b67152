#include "data/table/data_checks.hpp"

#include "data/io/npz.hpp"
#include "fearnet/data/load.hpp"
#include "support/data_files.hpp"

namespace fearnet {
namespace {

using test::expect_error;
using test::TempFolder;
using Texts = std::vector<std::string>;

// `rows` labels, one in each.
Texts made(int rows, const std::function<std::string(int)>& label) {
    Texts labels;
    for (int i = 0; i < rows; ++i) labels.push_back(label(i));
    return labels;
}

TEST(DataChecks, labels_that_are_measurements_are_told_from_classes) {
    EXPECT_NE(like_measurements({"-0.006525455", "0.25"}), "");
    EXPECT_NE(like_measurements({"1.5", "2", "3", "4"}), "");
    EXPECT_NE(like_measurements(made(400, [](int i) { return std::to_string(i * 17); })), "");
    EXPECT_NE(like_measurements(made(200, [](int i) { return std::to_string(i < 190 ? i : 0); })), "")
        << "nearly every row";

    EXPECT_EQ(like_measurements({}), "");
    EXPECT_EQ(like_measurements({"1.0", "2.0", "3.0"}), "") << "whole numbers as pandas writes them";
    EXPECT_EQ(like_measurements({"owl", "wren", "jay"}), "") << "one example of each class";
    EXPECT_EQ(like_measurements(made(19, [](int i) { return std::to_string(i); })), "") << "few rows";
    EXPECT_EQ(like_measurements(made(400, [](int i) { return std::to_string(i % 200); })), "");
    EXPECT_EQ(like_measurements(made(400, [](int i) { return i ? "owl" : "1.5"; })), "")
        << "a name that happens to be a number";
}

// 40 rows of two features, and what comes before and after them.
std::string csv(const std::string& header, const std::function<std::string(int)>& before,
                const std::function<std::string(int)>& after) {
    std::string text = header + "\n";
    for (int i = 0; i < 40; ++i)
        text += before(i) + std::to_string(i * 7 % 11) + "." + std::to_string(i * 3 % 10) + "," +
                std::to_string(i % 5) + "," + after(i) + "\n";
    return text;
}
const auto kNothing = [](int) { return std::string(); };
const auto kKinds = [](int i) { return std::string(i % 2 ? "odd" : "even"); };

TEST(DataChecks, a_sound_table_has_no_warnings_and_says_where_its_labels_stand) {
    const TempFolder folder;
    const std::string file = folder.write("a.csv", csv("a,b,label", kNothing, kKinds));
    const NamedRows rows = load_rows(file);
    EXPECT_EQ(rows.warnings, Texts{});
    EXPECT_EQ(rows.label_source, "column 'label'");
    EXPECT_EQ(load_feature_set(file).label_source, "column 'label'");
    EXPECT_EQ(load_rows(folder.write("b.csv", "1,2,x\n3,4,y\n")).label_source, "column 3, the last");
    EXPECT_EQ(load_rows(folder.write("c.csv", "1,2\n3,4\n"), {.width = 2}).label_source, "");
}

TEST(DataChecks, columns_that_count_upward_are_named_with_the_way_to_drop_them) {
    const TempFolder folder;
    for (const int first : {0, 17, 1'500'000'000}) {  // the last are too large for float32 to tell apart
        const auto id = [&](int i) { return std::to_string(first + 40 * i) + ","; };
        const std::string file = folder.write("a.csv", csv("id,a,b,label", id, kKinds));
        for (const Texts& warnings : {load_rows(file).warnings, load_feature_set(file).warnings}) {
            ASSERT_EQ(warnings.size(), 1u) << first;
            EXPECT_NE(warnings[0].find("column 'id' counts upward"), std::string::npos) << warnings[0];
            EXPECT_NE(warnings[0].find("--drop id"), std::string::npos) << warnings[0];
        }
        TableOptions options;
        options.drop = {"id"};
        EXPECT_EQ(load_rows(file, options).warnings, Texts{});
        EXPECT_EQ(load_rows(file, options).x.cols(), 2u);
    }
    Matrix x(40, 2);
    for (std::size_t i = 0; i < 40; ++i)
        x(i, 0) = static_cast<float>(i * 7 % 11), x(i, 1) = static_cast<float>(i);
    io::NpzWriter writer;
    writer.add("x", x.view());
    const Texts warnings = load_rows(folder.write("a.npz", writer.finish())).warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("column 1 (from 0)"), std::string::npos) << warnings[0];
}

TEST(DataChecks, constant_columns_and_rows_all_alike_are_warned_about) {
    const TempFolder folder;
    const auto same = [](int) { return std::string("5,"); };
    Texts warnings = load_rows(folder.write("a.csv", csv("c,a,b,label", same, kKinds))).warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("column 'c' has one value in all rows"), std::string::npos) << warnings[0];
    EXPECT_EQ(load_rows(folder.write("a.csv", csv("c,a,b,label", same, [](int) { return "owl"; }))).warnings,
              Texts{})
        << "within one class a constant is no surprise";
    std::string alike = "a,b,label\n";
    for (int i = 0; i < 40; ++i) alike += "1,2," + kKinds(i) + "\n";
    warnings = load_rows(folder.write("a.csv", alike)).warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("all 40 rows are identical"), std::string::npos) << warnings[0];
}

TEST(DataChecks, labels_like_measurements_are_refused_unless_the_user_names_their_column) {
    const TempFolder folder;
    const auto number = [](int i) { return std::to_string(i * 3 % 41); };
    const std::string file = folder.write("a.csv", csv("a,b,target", kNothing, number));
    for (const auto& load : std::vector<std::function<void(const TableOptions&)>>{
             [&](const TableOptions& o) { load_rows(file, o); },
             [&](const TableOptions& o) { load_feature_set(file, {.table = o}); }})
        expect_error([&] { load({}); }, {"a.csv: column 'target' holds 40 different labels in 40 rows",
                                         "--label-column target", "--label"});
    TableOptions named;
    named.label_column = "target";
    const NamedRows rows = load_rows(file, named);
    EXPECT_EQ(rows.labels.size(), 40u);
    EXPECT_EQ(rows.warnings.size(), 1u);
    EXPECT_EQ(load_rows(file, {.width = 2, .labels = false}).labels, Texts{}) << "they are not read";

    const auto name = [](int i) { return "bird " + std::to_string(i); };
    EXPECT_EQ(load_rows(folder.write("b.csv", csv("a,b,label", kNothing, name))).warnings.size(), 1u)
        << "one example of each class, where the header says so";
    expect_error([&] { load_rows(folder.write("b.csv", csv("a,b,file", kNothing, name))); },
                 {"column 'file', the last", "--label-column file"});

    io::NpzWriter writer;
    writer.add("x", Matrix(3, 2).view());
    writer.add("y", Texts{"owl", "wren", "jay"});
    EXPECT_EQ(load_rows(folder.write("a.npz", writer.finish())).labels.size(), 3u);
}

}  // namespace
}  // namespace fearnet
