// What FearNetPlus decides for itself: settings, and how sure it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/learners/plus/selection.hpp"
#include "core/learners/plus/temperature.hpp"
#include "support/dense.hpp"

namespace fearnet {
namespace {

using test::normals;

Candidate candidate(double ridge, double strength, Answers answers) {
    const std::vector<double> weights(answers.size(), 1 / static_cast<double>(answers.size()));
    const double right = accuracy(answers, weights);
    return {{ridge, strength}, std::move(answers), right};
}

// Correct answers from `first` to `last` of 100.
Answers correct(std::size_t first, std::size_t last) {
    Answers result(100);
    for (std::size_t i = first; i < last; ++i) result[i] = 1;
    return result;
}

TEST(Selection, takes_the_most_accurate_and_class_covariances_only_if_they_are_clearly_better) {
    const std::vector<double> weights(100, 0.01);
    const auto chosen = [&](const std::vector<Candidate>& candidates) {
        const PlusSettings s = choose(candidates, weights).settings;
        return std::tuple(s.ridge, s.class_covariance);
    };
    EXPECT_EQ(chosen({candidate(1, 0, correct(0, 80)), candidate(3, 0, correct(0, 81))}), std::tuple(3, 0));
    EXPECT_EQ(chosen({candidate(1, 0, correct(0, 80)), candidate(3, 0, correct(0, 80))}), std::tuple(3, 0))
        << "of equals the larger ridge";
    // The standard error of a difference of k answers is about sqrt(k) / 100.
    EXPECT_EQ(chosen({candidate(1, 0, correct(0, 80)), candidate(1, 0.3, correct(0, 81))}), std::tuple(1, 0));
    EXPECT_EQ(chosen({candidate(1, 0, correct(0, 80)), candidate(1, 0.3, correct(0, 85))}),
              std::tuple(1, 0.3));
    EXPECT_EQ(chosen({candidate(1, 0, correct(0, 80)), candidate(1, 0.3, correct(15, 100))}),
              std::tuple(1, 0))
        << "five more, but thirty-five rows are answered differently";
}

TEST(Selection, asks_rows_of_every_class_alike_and_none_of_a_class_of_one_row) {
    std::vector<std::int32_t> columns(50, 0);
    columns.insert(columns.end(), 10, 1);
    columns.push_back(2);
    const AskedRows all(columns, std::vector<std::int64_t>{50, 10, 1});
    EXPECT_EQ(all.rows.size(), 60u);
    EXPECT_EQ(std::count(all.columns.begin(), all.columns.end(), 2), 0);
    double of_first = 0, sum = 0;
    for (std::size_t i = 0; i < all.rows.size(); ++i) {
        EXPECT_EQ(all.columns[i], columns[all.rows[i]]);
        sum += all.weights[i];
        if (all.columns[i] == 0) of_first += all.weights[i];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(of_first, 0.5, 1e-12) << "a large class weighs no more than a small one";

    const std::size_t classes = 4 * AskedRows::kMostRows;  // more classes than rows to ask
    std::vector<std::int32_t> many;
    for (std::size_t i = 0; i < 2 * classes; ++i) many.push_back(static_cast<std::int32_t>(i / 2));
    const AskedRows some(many, std::vector<std::int64_t>(classes, 2));
    EXPECT_LE(some.rows.size() * classes, AskedRows::kMostScores);
    EXPECT_GT(some.rows.size() * classes, AskedRows::kMostScores / 3);
    EXPECT_TRUE(AskedRows(std::vector<std::int32_t>{0, 1}, std::vector<std::int64_t>{1, 1}).rows.empty());
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
