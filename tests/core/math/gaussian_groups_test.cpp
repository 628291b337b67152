#include "core/math/gaussian_groups.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "fearnet/rng.hpp"
#include "fearnet/threads.hpp"

namespace fearnet::test {
namespace {

using math::gaussian_groups;

constexpr double kBetween = 25;

// `rows` rows of each of `classes` classes; row i is of class i % classes.
Matrix classes_of_rows(std::size_t classes, std::size_t rows, std::size_t width, std::uint64_t seed) {
    Rng rng(seed);
    Matrix means(classes, width), x(classes * rows, width);
    for (std::size_t i = 0; i < means.size(); ++i)
        means.data()[i] = static_cast<float>(std::sqrt(kBetween) * rng.normal());
    for (std::size_t i = 0; i < x.rows(); ++i)
        for (std::size_t j = 0; j < width; ++j)
            x(i, j) = means(i % classes, j) + static_cast<float>(rng.normal());
    return x;
}

// The log-density of rows that share a normal mean, by the chain rule over rows: row k + 1 is normal around
// the posterior mean of the first k rows.
double log_density(const Matrix& x, double between) {
    double result = 0;
    for (std::size_t j = 0; j < x.cols(); ++j) {
        double sum = 0;
        for (std::size_t i = 0; i < x.rows(); ++i) {
            const auto n = static_cast<double>(i);
            const double posterior = between / (1 + n * between), mean = posterior * sum;
            const double variance = 1 + posterior, off = static_cast<double>(x(i, j)) - mean;
            result -= 0.5 * (std::log(2 * M_PI * variance) + off * off / variance);
            sum += static_cast<double>(x(i, j));
        }
    }
    return result;
}

TEST(GaussianGroups, the_likelihood_of_a_group_is_that_of_its_rows_one_after_another) {
    const Matrix x = classes_of_rows(1, 7, 3, 5);
    const std::vector<double> between(3, kBetween);
    std::vector<double> sums(3);
    double constant = 0;  // the density of the rows around zero
    for (std::size_t i = 0; i < x.rows(); ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            const auto value = static_cast<double>(x(i, j));
            sums[j] += value;
            constant -= 0.5 * (std::log(2 * M_PI) + value * value);
        }
    EXPECT_NEAR(constant + math::log_likelihood_of_group(7, sums, between), log_density(x, kBetween), 1e-6);
}

TEST(GaussianGroups, finds_separate_classes_and_their_number) {
    for (const std::size_t classes : {1, 2, 7}) {
        const Matrix x = classes_of_rows(classes, 9, 6, 3);
        const std::vector<std::ptrdiff_t> groups = gaussian_groups(x, std::vector<double>(6, kBetween));
        EXPECT_EQ(std::set<std::ptrdiff_t>(groups.begin(), groups.end()).size(), classes);
        for (std::size_t i = classes; i < x.rows(); ++i) EXPECT_EQ(groups[i], groups[i - classes]);
    }
}

TEST(GaussianGroups, rows_of_known_classes_join_them) {
    const Matrix x = classes_of_rows(4, 20, 6, 8);
    Matrix means(2, 6);
    const std::vector<double> counts{10, 10};
    for (std::size_t c = 0; c < 2; ++c)  // of the first ten rows of the class
        for (std::size_t k = 0; k < 10; ++k)
            for (std::size_t j = 0; j < 6; ++j) means(c, j) += x(4 * k + c, j) / 10;
    const Matrix others(x.view().slice(40, 40));
    const std::vector<std::ptrdiff_t> groups =
        gaussian_groups(others, std::vector<double>(6, kBetween), {means, counts});
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (i % 4 < 2) {
            EXPECT_EQ(groups[i], -1 - static_cast<std::ptrdiff_t>(i % 4));
        } else {
            EXPECT_GE(groups[i], 0);
            EXPECT_EQ(groups[i], groups[i % 4]);
        }
    }
}

TEST(GaussianGroups, the_result_does_not_depend_on_threads_or_on_the_order_of_rows) {
    const Matrix x = classes_of_rows(6, 15, 5, 11);
    const std::vector<double> between(5, kBetween);
    const int before = max_threads();
    set_threads(1);
    const std::vector<std::ptrdiff_t> one = gaussian_groups(x, between);
    set_threads(3);
    EXPECT_EQ(gaussian_groups(x, between), one);
    set_threads(before);
    Matrix reversed(x.rows(), x.cols());
    for (std::size_t i = 0; i < x.rows(); ++i)
        std::copy_n(x.row(x.rows() - 1 - i), x.cols(), reversed.row(i));
    const std::vector<std::ptrdiff_t> other = gaussian_groups(reversed, between);
    for (std::size_t i = 0; i < x.rows(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            EXPECT_EQ(one[i] == one[k], other[x.rows() - 1 - i] == other[x.rows() - 1 - k]);
}

TEST(GaussianGroups, rows_beyond_the_limit_join_the_groups_of_the_others) {
    const Matrix x = classes_of_rows(3, 40, 6, 4);
    const std::vector<std::ptrdiff_t> groups = gaussian_groups(x, std::vector<double>(6, kBetween), {}, 31);
    for (std::size_t i = 3; i < x.rows(); ++i) EXPECT_EQ(groups[i], groups[i - 3]);
}

TEST(GaussianGroups, no_rows_and_one_row) {
    EXPECT_TRUE(gaussian_groups(Matrix(), {}).empty());
    EXPECT_EQ(gaussian_groups(classes_of_rows(1, 1, 3, 1), std::vector<double>(3, kBetween)),
              std::vector<std::ptrdiff_t>{0});
}

}  // namespace
}  // namespace fearnet::test
