// What FearNetPlus decides for itself: settings, and how sure it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/learners/plus/calibration.hpp"
#include "core/learners/plus/constants.hpp"
#include "core/learners/plus/selection.hpp"
#include "fearnet/learner.hpp"
#include "support/dense.hpp"

namespace fearnet {
namespace {

using test::normals;

// Correct answers from `first` to `last` of 100.
Answers correct(std::size_t first, std::size_t last) {
    Answers result(100);
    for (std::size_t i = first; i < last; ++i) result[i] = 1;
    return result;
}

TEST(Selection, needs_more_than_a_standard_error_for_what_keeps_more_memory) {
    const std::vector<double> weights(100, 0.01);
    const Answers small = correct(0, 80);
    EXPECT_NEAR(accuracy(small, weights), 0.8, 1e-12);
    // The standard error of a difference of k answers is about sqrt(k) / 100.
    EXPECT_FALSE(clearly_better(correct(0, 81), small, weights));
    EXPECT_TRUE(clearly_better(correct(0, 85), small, weights));
    EXPECT_FALSE(clearly_better(correct(15, 100), small, weights))
        << "five more, but thirty-five rows are answered differently";
}

// Two classes apart along one feature among many: with the rows of noise a larger ridge is better.
TEST(Selection, takes_the_ridge_with_the_most_answers_and_what_the_options_set) {
    constexpr std::size_t kRows = 30;
    Matrix rows = normals(2 * kRows, 40, 7);
    std::vector<std::int32_t> columns;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        columns.push_back(static_cast<std::int32_t>(i / kRows));
        rows(i, 0) += i < kRows ? 1.0f : -1.0f;
    }
    ClassMoments moments;
    moments.add(rows, columns, 2, true);
    const AskedRows asked(columns, moments.counts);
    const auto chosen = [&](PlusOptions options, double ridge) {
        FirstRidges first{ridge, ridge};
        return choose_settings({moments, rows, asked, 4}, options, first, [](double) {});
    };
    PlusOptions linear;
    linear.covariance_strength = 0;
    const Candidate best = chosen(linear, 1);
    EXPECT_EQ(best.settings.class_covariance, 0);
    EXPECT_NEAR(best.accuracy, accuracy(best.answers, asked.weights), 1e-12);
    EXPECT_EQ(answers(best.scores, asked.columns), best.answers);
    for (const double ridge : {best.settings.ridge / 3, best.settings.ridge * 3}) {
        PlusOptions given = linear;
        given.ridge = ridge;
        const Candidate other = chosen(given, 1);
        EXPECT_EQ(other.settings.ridge, ridge);
        EXPECT_LE(other.accuracy, best.accuracy);
    }
    PlusOptions strong;
    strong.covariance_strength = 0.25;
    EXPECT_EQ(chosen(strong, 1).settings.class_covariance, 0.25);
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

    const std::vector<std::int32_t> long_class(8 * kAskedRows, 0);
    EXPECT_EQ(AskedRows(long_class, std::vector<std::int64_t>{8 * kAskedRows}).rows.size(), 2 * kAskedRows)
        << "a quarter of many rows";

    const std::size_t classes = 4 * kAskedRows;  // more classes than rows to ask
    std::vector<std::int32_t> many;
    for (std::size_t i = 0; i < 2 * classes; ++i) many.push_back(static_cast<std::int32_t>(i / 2));
    const AskedRows some(many, std::vector<std::int64_t>(classes, 2));
    EXPECT_LE(some.rows.size() * classes, kAskedRows * kManyClasses);
    EXPECT_GT(some.rows.size() * classes, kAskedRows * kManyClasses / 3);
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

// Rows of very different lengths, whose columns are drawn from softmax of what `calibration` makes of them.
struct DrawnRows {
    Matrix scores = normals(6000, 5, 3);
    std::vector<std::int32_t> columns;
    explicit DrawnRows(const Calibration& calibration) {
        Rng rng(4);
        for (std::size_t i = 0; i < scores.rows(); ++i) {
            const auto length = static_cast<float>(std::exp(rng.normal()));
            for (std::size_t c = 0; c < 5; ++c) scores(i, c) *= 6 * length;
            std::vector<float> row(scores.row(i), scores.row(i) + 5);
            calibration.apply(row);
            softmax(row);
            double left = rng.uniform();
            std::int32_t drawn = 0;
            while (drawn < 4 && (left -= static_cast<double>(row[static_cast<std::size_t>(drawn)])) > 0) ++drawn;
            columns.push_back(drawn);
        }
    }
};

TEST(Calibration, finds_how_the_temperature_grows_with_the_scores_of_a_row) {
    for (const double exponent : {0.0, 0.5, 1.0}) {
        const Calibration truth{2.5, exponent, 8};
        const DrawnRows rows(truth);
        const Calibration found = likeliest_calibration(rows.scores, rows.columns);
        EXPECT_EQ(found.exponent, exponent);
        // The temperature of a row with the margin 8, as `truth` has it.
        EXPECT_NEAR(found.temperature * std::pow(8 / found.margin, exponent), 2.5, 0.2) << exponent;
    }
    const Calibration none = likeliest_calibration(Matrix(0, 5), {});
    EXPECT_EQ(none.temperature, 1);
    EXPECT_EQ(none.exponent, 0);
}

TEST(Calibration, is_fitted_again_in_proportion_to_the_classes_that_are_asked) {
    const DrawnRows rows({4, 0.5, 8});
    Calibration all{1, 0.5, 8}, some = all, none = all;
    all.refit(rows.scores, rows.columns, 5);
    EXPECT_NEAR(all.temperature, 4, 0.3);
    some.refit(rows.scores, rows.columns, 10);  // five of ten classes: the logarithm goes half of the way
    EXPECT_NEAR(some.temperature, std::sqrt(all.temperature), 1e-9);
    none.refit(Matrix(0, 5), {}, 5);
    EXPECT_EQ(none.temperature, 1);
}

TEST(Calibration, of_equal_or_huge_scores_is_a_number) {
    for (const float value : {0.0f, -3e30f, 3e30f}) {
        std::vector<float> row(4, value);
        Calibration{2, 1, 0.5}.apply(row);
        EXPECT_EQ(row, std::vector<float>(4));
        row = {value, 0, 0, 0};
        Calibration{2, 1, 0.5}.apply(row);
        for (const float v : row) EXPECT_TRUE(std::isfinite(v)) << value;
    }
}

}  // namespace
}  // namespace fearnet
