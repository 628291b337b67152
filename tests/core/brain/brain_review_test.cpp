// What a brain reports to the person who teaches it, and the wrong labels it names.
#include <gtest/gtest.h>

#include "fearnet/brain.hpp"
#include "support/brains.hpp"

namespace fearnet {
namespace {

using test::blobs;
using test::names_of;

constexpr std::size_t kWidth = 12;

Examples rows_of(std::size_t first, std::size_t classes, std::uint64_t seed) {
    return blobs(first, classes, 30, kWidth, seed, 0.4);
}

// Six classes; "twin" has the same source as "class 2".
Brain with_twin() {
    Brain brain(PlusOptions{});
    const Examples base = rows_of(0, 6, 1);
    brain.learn(base.x, names_of(base));
    brain.learn(rows_of(2, 1, 5).x, "twin");
    return brain;
}

const BrainReview::Class& class_of(const BrainReview& review, const std::string& name) {
    for (const BrainReview::Class& c : review.classes)
        if (c.name == name) return c;
    throw Error("no class " + name);
}

TEST(BrainReviews, name_two_classes_that_cannot_be_told_apart_before_and_after_sleep) {
    Brain brain = with_twin();
    for (const bool slept : {false, true}) {
        if (slept) brain.sleep();
        const BrainReview review = brain.review();
        EXPECT_TRUE(review.estimated);
        EXPECT_EQ(review.learner, "fearnet-plus");
        ASSERT_EQ(review.classes.size(), 7u);
        ASSERT_EQ(review.maybe_one.size(), 1u) << slept;
        EXPECT_EQ(review.maybe_one[0].first, "class 2");
        EXPECT_EQ(review.maybe_one[0].second, "twin");
        EXPECT_GE(review.maybe_one[0].confused, BrainReview::kMaybeOne);
        EXPECT_EQ(class_of(review, "twin").confusions.at(0).with, "class 2");
        EXPECT_EQ(class_of(review, "twin").examples, 30);
        EXPECT_GT(class_of(review, "class 4").accuracy.value(), 0.9);
        EXPECT_EQ(class_of(review, "twin").accuracy, brain.expected_accuracy().at("twin"));
    }
}

TEST(BrainReviews, count_the_parts_of_a_merged_class_as_one) {
    Brain brain = with_twin();
    brain.merge("twin", "class 2");
    const BrainReview review = brain.review();
    ASSERT_EQ(review.classes.size(), 6u);
    EXPECT_TRUE(review.maybe_one.empty());
    EXPECT_EQ(class_of(review, "class 2").examples, 60);
    for (const BrainReview::Confusion& c : class_of(review, "class 2").confusions)
        EXPECT_NE(c.with, "class 2");
}

TEST(BrainReviews, say_what_is_not_known) {
    Brain plus(PlusOptions{});
    EXPECT_TRUE(plus.review().classes.empty());
    plus.learn(rows_of(0, 1, 1).x, "only");
    EXPECT_FALSE(plus.review().estimated);
    ASSERT_EQ(plus.review().classes.size(), 1u);
    EXPECT_EQ(plus.review().classes[0].examples, 30);
    EXPECT_FALSE(plus.review().classes[0].accuracy);
    plus.learn(rows_of(1, 2, 1).x.view().slice(0, 1), "rare");
    EXPECT_FALSE(class_of(plus.review(), "rare").accuracy) << "a class of one row";
    EXPECT_FALSE(class_of(plus.review(), "rare").more_would_help());

    Brain other(test::quick_brain());
    test::teach_base(other);
    EXPECT_FALSE(other.review().estimated);
    EXPECT_GT(other.review().classes[0].examples, 0);
    const Examples base = rows_of(0, 3, 1);
    EXPECT_TRUE(other.suspect_labels(base.x, names_of(base)).empty());
}

TEST(BrainReviews, and_checks_of_labels_change_nothing) {
    const test::Folder folder;
    const auto file = folder / "a.brain";
    Examples more = rows_of(6, 3, 2);
    const Examples probe = rows_of(0, 6, 9);
    {
        Brain brain(file, create_new(PlusOptions{}));
        const Examples base = rows_of(0, 6, 1);
        brain.learn(base.x, names_of(base));
        const Matrix before = brain.probabilities(probe.x);
        std::vector<std::string> labels = names_of(more);
        labels[3] = "class 0";
        const std::vector<SuspectLabel> suspects = brain.suspect_labels(more.x, labels);
        static_cast<void>(brain.review());
        const Matrix after = brain.probabilities(probe.x);
        EXPECT_TRUE(std::equal(before.data(), before.data() + before.size(), after.data()));
        EXPECT_EQ(brain.info().history.size(), 2u) << "new and learn";
        EXPECT_EQ(brain.class_names().size(), 6u);
    }
    EXPECT_TRUE(check_brain(file).empty());
}

TEST(BrainReviews, name_wrong_labels_of_classes_that_are_not_taught_yet) {
    Brain brain(PlusOptions{});
    const Examples base = rows_of(0, 6, 1);
    brain.learn(base.x, names_of(base));
    const Examples more = rows_of(6, 3, 2);
    std::vector<std::string> labels = names_of(more);
    labels[3] = "class 7", labels[40] = "class 8";
    const std::vector<SuspectLabel> suspects = brain.suspect_labels(more.x, labels);
    ASSERT_EQ(suspects.size(), 2u);
    EXPECT_EQ(suspects[0].row, 3u);
    EXPECT_EQ(suspects[0].label, "class 7");
    EXPECT_EQ(suspects[0].looks_like, "class 6");
    EXPECT_EQ(suspects[1].row, 40u);
    EXPECT_EQ(suspects[1].looks_like, "class 7");
    EXPECT_GT(suspects[1].probability, 0.5);
    EXPECT_THROW(brain.suspect_labels(more.x, {"one"}), Error) << "90 rows, 1 label";
    labels[0] = "";
    EXPECT_THROW(brain.suspect_labels(more.x, labels), Error);
    EXPECT_THROW(brain.suspect_labels(more.x.view().slice(0, 0), {}), Error);
}

}  // namespace
}  // namespace fearnet
