#include <gtest/gtest.h>

#include <set>

#include "fearnet/brain.hpp"
#include "fearnet/threads.hpp"
#include "support/blobs.hpp"

namespace fearnet::test {
namespace {

constexpr std::size_t kWidth = 16, kKnown = 12, kRows = 15;
// Looks at almost all rows: the groups themselves tell known from unknown.
constexpr DiscoverOptions kAlmostAll{.below = 1, .min_rows = 3};

Brain taught_brain() {
    Brain brain{BrainOptions()};
    const Examples e = blobs(0, kKnown, kRows, kWidth, 1);
    std::vector<std::string> names;
    for (const ClassId id : e.labels) names.push_back("class " + std::to_string(index_of(id)));
    brain.learn(e.x, names);
    return brain;
}

std::string message(const auto& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(BrainDiscover, finds_the_classes_that_were_not_taught) {
    const Brain brain = taught_brain();
    const Examples e = blobs(kKnown - 2, 5, 10, kWidth, 2);  // two known classes, then three unknown ones
    const std::vector<DiscoveredGroup> groups = brain.discover(e.x, kAlmostAll);
    ASSERT_EQ(groups.size(), 3u);
    std::set<std::int32_t> found;
    for (const DiscoveredGroup& g : groups) {
        const std::int32_t c = index_of(e.labels[g.rows.front()]);
        EXPECT_GE(c, static_cast<std::int32_t>(kKnown));
        found.insert(c);
        for (const std::size_t i : g.rows) EXPECT_EQ(index_of(e.labels[i]), c);
        EXPECT_GT(g.rows.size(), 7u);
        EXPECT_TRUE(std::is_sorted(g.rows.begin(), g.rows.end()));
        EXPECT_GT(g.spread, 0.3);
        EXPECT_LT(g.spread, 2);
        EXPECT_TRUE(g.nearest.starts_with("class "));
    }
    EXPECT_EQ(found.size(), 3u);
}

TEST(BrainDiscover, finds_a_class_beside_two_taught_ones) {
    Brain brain{BrainOptions()};
    const Examples known = blobs(0, 2, 20, kWidth, 1), other = blobs(5, 2, 20, kWidth, 2);
    std::vector<std::string> names;
    for (const ClassId id : known.labels) names.push_back("class " + std::to_string(index_of(id)));
    brain.learn(known.x, names);
    // The covariance of so few taught rows is rough, so a class may be found in parts.
    const std::vector<DiscoveredGroup> groups = brain.discover(other.x, kAlmostAll);
    EXPECT_GE(groups.size(), 2u);
    EXPECT_LE(groups.size(), 6u);
    std::size_t grouped = 0;
    for (const DiscoveredGroup& g : groups) {
        grouped += g.rows.size();
        for (const std::size_t i : g.rows) EXPECT_EQ(other.labels[i], other.labels[g.rows.front()]);
    }
    EXPECT_GT(grouped, 30u);
}

TEST(BrainDiscover, rows_of_taught_classes_and_no_rows_give_no_group) {
    const Brain brain = taught_brain();
    EXPECT_TRUE(brain.discover(blobs(0, kKnown, 5, kWidth, 3).x, kAlmostAll).empty());
    EXPECT_TRUE(brain.discover(Matrix(0, kWidth)).empty());
}

TEST(BrainDiscover, one_row_is_a_group_if_that_is_asked_for) {
    const Brain brain = taught_brain();
    const Matrix row(blobs(kKnown, 1, 1, kWidth, 2).x);
    EXPECT_TRUE(brain.discover(row, kAlmostAll).empty());
    const std::vector<DiscoveredGroup> groups = brain.discover(row, {.below = 1, .min_rows = 1});
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].rows, std::vector<std::size_t>{0});
    EXPECT_EQ(groups[0].spread, 0);
}

TEST(BrainDiscover, does_not_depend_on_the_number_of_threads) {
    const Brain brain = taught_brain();
    const Matrix x = blobs(kKnown - 2, 6, 12, kWidth, 4).x;
    const int before = max_threads();
    set_threads(1);
    const std::vector<DiscoveredGroup> one = brain.discover(x, kAlmostAll);
    set_threads(3);
    const std::vector<DiscoveredGroup> three = brain.discover(x, kAlmostAll);
    set_threads(before);
    ASSERT_EQ(one.size(), three.size());
    for (std::size_t g = 0; g < one.size(); ++g) EXPECT_EQ(one[g].rows, three[g].rows);
}

TEST(BrainDiscover, refuses_bad_input_and_other_learners) {
    const Brain brain = taught_brain();
    EXPECT_NE(message([&] { brain.discover(Matrix(2, 3)); }).find("Brain::discover: rows have 3 features"),
              std::string::npos);
    EXPECT_NE(message([&] { brain.discover(Matrix(2, kWidth), {.below = 2}); }).find("options.below is 2"),
              std::string::npos);
    EXPECT_NE(message([&] {
                  brain.discover(Matrix(2, kWidth), {.below = 1, .min_rows = 0});
              }).find("min_rows is 0"),
              std::string::npos);
    EXPECT_NE(message([&] { Brain(BrainOptions()).discover(Matrix(2, 3)); }).find("0 classes taught"),
              std::string::npos);
    Brain other{BrainOptions(FearNetOptions{})};
    const Examples e = blobs(0, 1, 4, kWidth, 1);
    other.learn(e.x, "owl");
    EXPECT_NE(message([&] { other.discover(e.x); }).find("the learner fearnet has no rows in units"),
              std::string::npos);
    EXPECT_NE(message([&] { other.suggest(e.x, 2); }).find("the learner fearnet has no rows in units"),
              std::string::npos);
}

TEST(BrainSuggest, suggests_a_row_of_each_class_first) {
    const Brain brain = taught_brain();
    const Examples e = blobs(kKnown, 6, 20, kWidth, 5);
    const std::vector<std::size_t> rows = brain.suggest(e.x, 6);
    std::set<std::int32_t> classes;
    for (const std::size_t i : rows) classes.insert(index_of(e.labels[i]));
    EXPECT_EQ(classes.size(), 6u);
}

TEST(BrainSuggest, avoids_rows_like_those_that_have_labels) {
    const Brain brain = taught_brain();
    const Examples e = blobs(kKnown, 3, 20, kWidth, 6), labeled = blobs(kKnown, 2, 20, kWidth, 7);
    const std::vector<std::size_t> rows = brain.suggest(e.x, 1, labeled.x);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(index_of(e.labels[rows[0]]), static_cast<std::int32_t>(kKnown + 2));
}

TEST(BrainSuggest, returns_all_rows_if_there_are_fewer_and_refuses_bad_input) {
    const Brain brain = taught_brain();
    EXPECT_EQ(brain.suggest(blobs(0, 1, 3, kWidth, 8).x, 10).size(), 3u);
    EXPECT_EQ(brain.suggest(blobs(0, 1, 1, kWidth, 8).x, 10), std::vector<std::size_t>{0});
    EXPECT_TRUE(brain.suggest(Matrix(0, kWidth), 10).empty());
    EXPECT_NE(message([&] { brain.suggest(Matrix(2, kWidth), 0); }).find("a count of 0 rows"),
              std::string::npos);
    EXPECT_NE(message([&] { brain.suggest(Matrix(2, 3), 1); }).find("Brain::suggest: rows have 3 features"),
              std::string::npos);
}

}  // namespace
}  // namespace fearnet::test
