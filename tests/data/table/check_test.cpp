#include <cmath>

#include "data/table/labels.hpp"
#include "data/table/split.hpp"
#include "fearnet/data/feature_set.hpp"
#include "support/data_files.hpp"

namespace fearnet {
namespace {

using test::expect_error;
using Texts = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

std::vector<ClassId> ids(std::initializer_list<int> values) {
    std::vector<ClassId> result;
    for (const int v : values) result.push_back(ClassId(v));
    return result;
}

// Two classes, two features, two training rows and two test rows.
FeatureSet good_set() {
    FeatureSet set;
    set.name = "good";
    set.names = {"cat", "dog"};
    for (Examples* part : {&set.train, &set.test}) {
        part->x = Matrix(2, 2);
        part->labels = ids({0, 1});
    }
    return set;
}

TEST(FeatureSetCheck, a_good_set_passes) {
    EXPECT_NO_THROW(check_feature_set(good_set()));
}

TEST(FeatureSetCheck, a_class_without_rows_is_named) {
    FeatureSet set = good_set();
    set.test.labels = ids({0, 0});
    expect_error([&] { check_feature_set(set); }, {"good", "'dog'", "no test rows"});
    set = good_set();
    set.train.labels = ids({1, 1});
    expect_error([&] { check_feature_set(set); }, {"good", "'cat'", "no training rows"});
}

TEST(FeatureSetCheck, numbers_that_are_not_finite_are_placed) {
    FeatureSet set = good_set();
    set.test.x(1, 0) = NAN;
    expect_error([&] { check_feature_set(set); }, {"good", "test rows", "row 1, column 0", "not a number"});
    set = good_set();
    set.train.x(0, 1) = -INFINITY;
    expect_error([&] { check_feature_set(set); }, {"training rows", "row 0, column 1", "infinite"});
}

TEST(FeatureSetCheck, widths_counts_and_ids_that_do_not_fit_are_refused_with_both_numbers) {
    FeatureSet set = good_set();
    set.test.x = Matrix(2, 3);
    expect_error([&] { check_feature_set(set); }, {"2 features", "test rows have 3"});
    set = good_set();
    set.train.labels = ids({0, 1, 1});
    expect_error([&] { check_feature_set(set); }, {"2 rows but 3 labels"});
    set = good_set();
    set.train.labels = ids({0, 2});
    expect_error([&] { check_feature_set(set); }, {"row 1 has class 2", "2 class names"});
    set.train.labels = ids({0, -1});
    expect_error([&] { check_feature_set(set); }, {"class -1"});
}

TEST(FeatureSetCheck, nothing_one_class_and_no_features_are_refused) {
    expect_error([] { check_feature_set({}); }, {"there are none"});
    FeatureSet set = good_set();
    set.names = {"cat"};
    set.train.labels = set.test.labels = ids({0, 0});
    expect_error([&] { check_feature_set(set); }, {"1 class;", "at least 2"});
    set = good_set();
    set.train.x = Matrix(2, 0), set.test.x = Matrix(2, 0);
    expect_error([&] { check_feature_set(set); }, {"no features"});
}

TEST(UnitLength, rows_get_length_one_and_zeros_stay) {
    Matrix x(3, 2);
    x(0, 0) = 3, x(0, 1) = 4;
    x(2, 0) = 1e-30f, x(2, 1) = 0;
    scale_rows_to_unit_length(x);
    EXPECT_FLOAT_EQ(x(0, 0), 0.6f);
    EXPECT_FLOAT_EQ(x(0, 1), 0.8f);
    EXPECT_EQ(x(1, 0), 0.0f);
    EXPECT_FLOAT_EQ(x(2, 0), 1.0f);
}

TEST(Labels, numbers_with_gaps_and_signs_become_dense_ids_in_ascending_order) {
    const MappedLabels m = map_labels(Numbers{10, -5, 3, 3, 10}, {}, "w");
    EXPECT_EQ(m.names, (Texts{"-5", "3", "10"}));
    EXPECT_EQ(m.ids, ids({2, 0, 1, 1, 2}));
}

TEST(Labels, every_label_needs_a_name_if_there_are_names) {
    EXPECT_EQ(map_labels(Numbers{1, 0, 2}, {"a", "b", "c"}, "w").names, (Texts{"a", "b", "c"}));
    EXPECT_EQ(map_labels(Numbers{2, 0}, {"a", "b", "c"}, "w").names, (Texts{"a", "c"}));
    expect_error(
        [] {
            map_labels(Numbers{1, 2, 3}, {"a", "b", "c"}, "w");
        },
        {"w: row 2 has label 3", "'names' has 3"});
    expect_error([] { map_labels(Numbers{-1, 0}, {"a", "b", "c"}, "w"); }, {"row 0 has label -1"});
}

TEST(Labels, text_is_sorted_and_text_that_is_whole_numbers_counts_as_numbers) {
    EXPECT_EQ(map_labels(Texts{"dog", "cat"}, {}, "w").ids, ids({1, 0}));
    RawLabels whole = Texts{"10", "9", "9.0"}, not_whole = Texts{"10", "9.5"};
    as_numbers_if_whole(whole);
    as_numbers_if_whole(not_whole);
    const MappedLabels m = map_labels(whole, {}, "w");
    EXPECT_EQ(m.names, (Texts{"9", "10"}));
    EXPECT_EQ(m.ids, ids({1, 0, 0}));
    EXPECT_EQ(map_labels(not_whole, {}, "w").names, (Texts{"10", "9.5"}));
}

TEST(Labels, mixed_kinds_and_bad_names_are_refused) {
    expect_error(
        [] {
            RawLabels all = Numbers{1};
            append(all, Texts{"a"}, "w");
        },
        {"w:", "numbers in one part"});
    expect_error([] { map_labels(Texts{"", "a"}, {}, "w"); }, {"class name '' is empty"});
    expect_error([] { map_labels(Texts{"\xff", "a"}, {}, "w"); }, {"not UTF-8"});
    expect_error([] { map_labels(Texts{"\x1b]0;x\a", "a"}, {}, "w"); }, {"\\u001b]0;x\\u0007", "control"});
    expect_error([] { map_labels(Numbers{0, 1}, {"a", "a"}, "w"); }, {"two classes", "'a'"});
}

TEST(Split, every_class_gives_its_share_and_one_seed_gives_one_split) {
    std::vector<ClassId> labels;
    for (int i = 0; i < 100; ++i) labels.push_back(ClassId(i % 10 == 0 ? 1 : 0));  // 90 and 10
    const std::vector<bool> held = hold_out(labels, {"a", "b"}, 0.2, 7, "w");
    int of_a = 0, of_b = 0;
    for (std::size_t i = 0; i < 100; ++i) (labels[i] == ClassId(0) ? of_a : of_b) += held[i];
    EXPECT_EQ(of_a, 18);
    EXPECT_EQ(of_b, 2);
    EXPECT_EQ(hold_out(labels, {"a", "b"}, 0.2, 7, "w"), held);
    EXPECT_NE(hold_out(labels, {"a", "b"}, 0.2, 8, "w"), held);
}

TEST(Split, at_least_one_row_is_held_out_and_one_stays) {
    const auto count = [](double fraction) {
        const std::vector<bool> held = hold_out(ids({0, 0}), {"a"}, fraction, 1, "w");
        return std::count(held.begin(), held.end(), true);
    };
    EXPECT_EQ(count(0.01), 1);
    EXPECT_EQ(count(0.99), 1);
    expect_error([] { hold_out(ids({0, 0, 1}), {"a", "b"}, 0.2, 1, "w"); }, {"class 'b'", "a single row"});
    for (const double bad : {0.0, 1.0, -1.0, static_cast<double>(NAN)})
        expect_error([&] { hold_out(ids({0, 0}), {"a"}, bad, 1, "w"); }, {"test_fraction"});
}

}  // namespace
}  // namespace fearnet
