#include "core/math/facility_location.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "fearnet/rng.hpp"
#include "fearnet/threads.hpp"

namespace fearnet::test {
namespace {

using math::representative_rows;

constexpr double kWidth = 0.2;

Matrix random_rows(std::size_t rows, std::size_t width, std::uint64_t seed) {
    Rng rng(seed);
    Matrix x(rows, width);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(rng.normal());
    return x;
}

double similarity(const float* a, const float* b, std::size_t width) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t j = 0; j < width; ++j) {
        ab += static_cast<double>(a[j]) * static_cast<double>(b[j]);
        aa += static_cast<double>(a[j]) * static_cast<double>(a[j]);
        bb += static_cast<double>(b[j]) * static_cast<double>(b[j]);
    }
    return std::exp((ab / std::sqrt(aa * bb) - 1) / kWidth);
}

// Tries every row in every step.
std::vector<std::size_t> plain(const Matrix& x, std::size_t count, const Matrix& given) {
    std::vector<double> covered(x.rows());
    const auto cover = [&](const float* row) {
        for (std::size_t i = 0; i < x.rows(); ++i)
            covered[i] = std::max(covered[i], similarity(x.row(i), row, x.cols()));
    };
    for (std::size_t k = 0; k < given.rows(); ++k) cover(given.row(k));
    std::vector<std::size_t> result;
    while (result.size() < count) {
        double best = -1;
        std::size_t chosen = 0;
        for (std::size_t c = 0; c < x.rows(); ++c) {
            if (std::find(result.begin(), result.end(), c) != result.end()) continue;
            double gain = 0;
            for (std::size_t i = 0; i < x.rows(); ++i)
                gain += std::max(0.0, similarity(x.row(i), x.row(c), x.cols()) - covered[i]);
            if (gain > best) best = gain, chosen = c;
        }
        result.push_back(chosen);
        cover(x.row(chosen));
    }
    return result;
}

double objective(const Matrix& x, const std::vector<std::size_t>& selected, const Matrix& given) {
    double sum = 0;
    for (std::size_t i = 0; i < x.rows(); ++i) {
        double covered = 0;
        for (const std::size_t j : selected)
            covered = std::max(covered, similarity(x.row(i), x.row(j), x.cols()));
        for (std::size_t k = 0; k < given.rows(); ++k)
            covered = std::max(covered, similarity(x.row(i), given.row(k), x.cols()));
        sum += covered;
    }
    return sum;
}

// Two rows that are most like each other raise the sum equally. Rounding may decide between them, so the sums
// are compared, which a wrong order of the others would change.
TEST(FacilityLocation, represents_the_rows_as_well_as_the_plain_greedy_search) {
    constexpr double kRounding = 1e-4;
    const Matrix x = random_rows(60, 5, 2), given = random_rows(4, 5, 3);
    for (const std::size_t count : {1, 5, 12, 25, 40})
        for (const Matrix* labeled : {&given, static_cast<const Matrix*>(nullptr)}) {
            const Matrix before = labeled ? *labeled : Matrix();
            EXPECT_NEAR(objective(x, representative_rows(x, count, kWidth, before), before),
                        objective(x, plain(x, count, before), before), kRounding);
        }
}

TEST(FacilityLocation, does_not_depend_on_the_number_of_threads) {
    const Matrix x = random_rows(200, 8, 5);
    const int before = max_threads();
    set_threads(1);
    const std::vector<std::size_t> one = representative_rows(x, 50, kWidth);
    set_threads(3);
    EXPECT_EQ(representative_rows(x, 50, kWidth), one);
    set_threads(before);
}

TEST(FacilityLocation, returns_each_row_once_for_any_count) {
    const Matrix x = random_rows(30, 4, 7);
    for (const std::size_t most : {10, 30}) {
        const std::vector<std::size_t> all = representative_rows(x, 100, kWidth, {}, most);
        EXPECT_EQ(all.size(), 30u);
        EXPECT_EQ(std::set<std::size_t>(all.begin(), all.end()).size(), 30u);
    }
    EXPECT_TRUE(representative_rows(Matrix(), 3, kWidth).empty());
    EXPECT_EQ(representative_rows(Matrix(3, 2), 3, kWidth), (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace fearnet::test
