// What FearNetPlus reports of its classes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/learners/plus/fearnet_plus.hpp"
#include "support/blobs.hpp"
#include "support/dense.hpp"

namespace fearnet {
namespace {

using test::normals;

// Classes at the corners of a simplex, but for class 1, which is at the place of class 0 moved by `apart`.
Examples corners(std::size_t classes, std::size_t rows, double apart, std::uint64_t seed) {
    constexpr std::size_t kWidth = 12;
    Examples e;
    e.x = normals(classes * rows, kWidth, seed);
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t r = 0; r < rows; ++r) {
            e.x(c * rows + r, c == 1 ? 0 : c) += 6;
            if (c == 1) e.x(c * rows + r, 1) += static_cast<float>(apart);
            e.labels.push_back(static_cast<ClassId>(c));
        }
    return e;
}

std::map<ClassId, double> confusions_of(const ClassReview& review) {
    std::map<ClassId, double> shares;
    for (const ClassReview::Confusion& c : review.confusions) shares[c.with] = c.share;
    return shares;
}

TEST(PlusReview, has_the_confusions_that_new_rows_show) {
    FearNetPlus learner({.transform = PlusTransform::none});
    EXPECT_TRUE(learner.review().empty()) << "nothing was taught";
    learner.learn(corners(6, 100, 2, 1));
    const Examples fresh = corners(6, 1000, 2, 2);
    const std::vector<ClassId> answers = learner.predict(fresh.x);
    double taken = 0;
    for (std::size_t i = 0; i < 1000; ++i) taken += answers[i] == static_cast<ClassId>(1);
    const std::vector<ClassReview> review = learner.review();
    ASSERT_EQ(review.size(), 6u);
    EXPECT_NEAR(confusions_of(review[0])[static_cast<ClassId>(1)], taken / 1000, 0.06);
    EXPECT_EQ(review[0].confusions[0].with, static_cast<ClassId>(1)) << "most frequent first";
    EXPECT_EQ(review[1].confusions[0].with, static_cast<ClassId>(0));
    const std::vector<double> expected = learner.expected_accuracy();
    for (std::size_t c = 0; c < review.size(); ++c) {
        EXPECT_EQ(review[c].id, static_cast<ClassId>(c));
        EXPECT_EQ(review[c].accuracy, expected[c]);
        EXPECT_GT(review[c].error, 0);
        EXPECT_LT(review[c].error, 0.1);
        EXPECT_LE(review[c].with_half, review[c].accuracy);
        EXPECT_GE(review[c].with_twice, review[c].accuracy);
        double sum = review[c].accuracy;
        for (const auto& [with, share] : confusions_of(review[c])) sum += share;
        EXPECT_LE(sum, 1 + 1e-9);
    }
    EXPECT_GT(review[5].accuracy, 0.95);
}

TEST(PlusReview, knows_recent_classes_and_classes_whose_rows_are_gone) {
    FearNetPlus learner({.transform = PlusTransform::none});
    const Examples all = corners(6, 100, 2, 1);
    learner.learn({all.x.view().slice(0, 500), std::span(all.labels).first(500)});
    learner.learn({all.x.view().slice(500, 100), std::span(all.labels).subspan(500)});
    EXPECT_GT(learner.review()[5].accuracy, 0.9);
    learner.sleep();
    const std::vector<ClassReview> review = learner.review();
    EXPECT_GT(review[5].accuracy, 0.9);
    EXPECT_GT(confusions_of(review[1])[static_cast<ClassId>(0)], 0.05);
    learner.learn(test::blobs(50, 1, 1, 12, 3));
    EXPECT_LT(learner.review().back().accuracy, 0) << "a class of one row";
    EXPECT_TRUE(learner.review().back().confusions.empty());
}

TEST(PlusReview, expects_more_of_more_examples_where_they_are_few) {
    // 60 features and 6 rows of a class: the means are noisy.
    constexpr std::size_t kClasses = 12, kWidth = 60;
    const auto rows_of = [&](std::size_t rows, std::uint64_t seed) {
        Examples e;
        e.x = normals(kClasses * rows, kWidth, seed);
        for (std::size_t c = 0; c < kClasses; ++c) {
            const Matrix center = normals(1, kWidth, 100 + c);
            for (std::size_t r = 0; r < rows; ++r) {
                for (std::size_t j = 0; j < kWidth; ++j) e.x(c * rows + r, j) += 0.3f * center(0, j);
                e.labels.push_back(static_cast<ClassId>(c));
            }
        }
        return e;
    };
    const auto gain = [&](std::size_t rows) {
        FearNetPlus learner({.transform = PlusTransform::none});
        learner.learn(rows_of(rows, 1));
        double sum = 0;
        for (const ClassReview& c : learner.review()) sum += c.with_twice - c.accuracy;
        return sum / static_cast<double>(kClasses);
    };
    const double few = gain(8), many = gain(200);
    EXPECT_GT(few, 0.03);
    EXPECT_LT(many, 0.02);
}

}  // namespace
}  // namespace fearnet
