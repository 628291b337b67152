// What FearNetPlus decides for itself: settings, and how sure it is.
#include <gtest/gtest.h>

#include <cmath>

#include "core/learners/plus/choices.hpp"
#include "core/learners/plus/temperature.hpp"
#include "support/dense.hpp"

namespace fearnet {
namespace {

using test::normals;

TEST(Choices, take_the_best_of_equals_the_first_and_directions_only_where_they_pay) {
    PlusOptions options;
    options.shrinkage = 0.5;
    Choices choices(options, false);
    ASSERT_EQ(choices.shrinkages(), std::vector<double>{0.5});
    ASSERT_EQ(choices.doubts().size(), 2u);
    ASSERT_EQ(choices.kinds().size(), 5u);  // two pulls, three strengths
    for (std::size_t k = 0; k < 5; ++k) {
        EXPECT_EQ(choices.kinds()[k].pull > 0, k < 2);
        EXPECT_EQ(choices.kinds()[k].strength > 0, k >= 2);
    }
    EXPECT_EQ(choices.best(100).shrinkage, 0.5);
    std::vector<double> right(10, 0.5);
    choices.add(right, 100, 400, 8);
    EXPECT_EQ(choices.best(400).kind.pull, choices.kinds()[0].pull);
    EXPECT_EQ(choices.best(400).doubt, choices.doubts()[0]);
    right = {0.5, 0.7, 0.7, 0.74, 0.5, 0.5, 0.7, 0.5, 0.5, 0.5};
    choices.add(right, 100, 400, 8);
    EXPECT_EQ(choices.best(400).kind.pull, choices.kinds()[1].pull) << "directions are hardly better";
    EXPECT_EQ(choices.best(400).doubt, choices.doubts()[0]);
    Choices of_many_rows = choices;
    of_many_rows.add(std::vector<double>(10, 0.5), 1, 4000, 8);
    EXPECT_EQ(of_many_rows.best(400).kind.strength, choices.kinds()[3].strength) << "but sure";
    of_many_rows.add(std::vector<double>{0, 0, 0.5, 0.49, 0.5, 0, 0, 0, 0, 0}, 300, 4000, 8);
    EXPECT_EQ(of_many_rows.best(400).kind.strength, choices.kinds()[2].strength) << "hardly worse";
    right = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.9, 0.5};
    choices.add(right, 200, 400, 8);
    EXPECT_EQ(choices.best(400).kind.strength, choices.kinds()[3].strength);
    EXPECT_EQ(choices.best(400).doubt, choices.doubts()[1]);
    EXPECT_NEAR(choices.accuracy(), (0.5 + 0.5 + 2 * 0.9) / 4, 1e-12);
    State state;
    choices.save(state);
    Choices restored(options, false);
    restored.load(state);
    EXPECT_EQ(restored.best(400).kind.strength, choices.best(400).kind.strength);
    Choices others(PlusOptions{}, false);  // another number of candidates
    EXPECT_THROW(others.load(state), Error);
    for (const auto& learned :
         {std::vector<std::int64_t>{400, 401}, {std::int64_t{1} << 62, std::int64_t{1} << 62}}) {
        state.values<std::vector<std::int64_t>>("choices.learned") = learned;
        EXPECT_THROW(restored.load(state), Error);
    }

    PlusOptions set;
    set.pull = 0, set.shape_rank = 0;
    ASSERT_EQ(Choices(set, false).kinds().size(), 1u);
    EXPECT_EQ(Choices(set, false).best(10).kind.strength, 0);
    set.pull = 1, set.shape_rank = 12, set.shape_strength = 0.2;
    ASSERT_EQ(Choices(set, false).kinds().size(), 1u);
    EXPECT_EQ(Choices(set, false).best(10).kind.strength, 0.2);
    EXPECT_EQ(Choices(set, false).best(10).kind.pull, 1);
    set.shape_strength = 0;  // the strength would be chosen, the pull is set
    ASSERT_GT(Choices(set, false).kinds().size(), 1u);
    EXPECT_EQ(Choices(set, false).best(10).kind.pull, 1);
}

TEST(Choices, take_the_middle_of_shrinkages_that_cannot_be_told_apart_and_less_with_more_rows) {
    Choices choices(PlusOptions{}, false);
    const std::size_t kinds = choices.per_shrinkage();
    std::vector<double> right(choices.shrinkages().size() * kinds, 0.5);
    right[5 * kinds + 2] = 0.8;
    right[4 * kinds + 2] = 0.797;
    right[3 * kinds + 2] = 0.77;
    right[2 * kinds + 3] = 0.799;        // with another strength: plays no part
    choices.add(right, 1000, 5000, 10);  // a standard error is 0.0126
    const double middle = std::sqrt(choices.shrinkages()[4] * choices.shrinkages()[5]);
    EXPECT_NEAR(choices.best(5000).shrinkage, middle, 1e-9);
    EXPECT_NEAR(choices.best(20000).shrinkage, middle / 2, 1e-9);
    EXPECT_NEAR(choices.best(1000).shrinkage, middle, 1e-9) << "never more";
    EXPECT_EQ(choices.best(5000).kind.strength, choices.kinds()[2].strength);
    EXPECT_TRUE(choices.hopeless(0));
    EXPECT_FALSE(choices.hopeless(4));
    choices.add(right, 1000000, 5000, 10);
    EXPECT_EQ(choices.best(5000).shrinkage, choices.shrinkages()[5]);
}

TEST(Temperature, is_one_when_nothing_tells_classes_apart) {
    Matrix one(6, 1), equal(6, 3);
    for (std::size_t i = 0; i < 6; ++i) one(i, 0) = static_cast<float>(i);
    EXPECT_EQ(likeliest_temperature(one, std::vector<std::int32_t>(6, 0)), 1);
    EXPECT_EQ(likeliest_temperature(equal, std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}), 1);
}

TEST(Temperature, makes_probabilities_as_sure_as_they_are_right) {
    // Rows whose columns are drawn from softmax(scores / 2.5).
    Matrix scores = normals(4000, 5, 3);
    Rng rng(4);
    std::vector<std::int32_t> columns;
    for (std::size_t i = 0; i < scores.rows(); ++i) {
        double sum = 0, weights[5];
        for (std::size_t c = 0; c < 5; ++c) {
            scores(i, c) *= 6;
            sum += weights[c] = std::exp(static_cast<double>(scores(i, c)) / 2.5);
        }
        double left = rng.uniform() * sum;
        std::int32_t drawn = 0;
        while (drawn < 4 && (left -= weights[drawn]) > 0) ++drawn;
        columns.push_back(drawn);
    }
    EXPECT_NEAR(likeliest_temperature(scores, columns), 2.5, 0.15);
    EXPECT_EQ(likeliest_temperature(Matrix(0, 5), {}), 1);
    // All right by a margin of 10, but only two rows: not sure beyond measure.
    Matrix two(2, 3);
    two(0, 1) = two(1, 2) = 10;
    const std::vector<std::int32_t> right{1, 2};
    EXPECT_GT(likeliest_temperature(two, right), 2);
    EXPECT_LT(likeliest_temperature(two, right), 20);
}

}  // namespace
}  // namespace fearnet
