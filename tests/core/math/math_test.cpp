#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "core/math/distances.hpp"
#include "core/math/gemm.hpp"
#include "core/math/moments.hpp"
#include "core/math/normals.hpp"
#include "core/math/transposed.hpp"
#include "core/math/vectorizable.hpp"
#include "fearnet/rng.hpp"

namespace fearnet::math {
namespace {

Matrix random_matrix(std::size_t rows, std::size_t cols, Rng& rng) {
    Matrix m(rows, cols);
    rng.fill_normal({m.data(), m.size()});
    return m;
}

TEST(Gemm, agrees_with_the_plain_loop_for_every_transpose_and_shape) {
    Rng rng(11);
    for (auto [m, n, k] : {std::array<std::size_t, 3>{1, 1, 1},
                           {1, 50, 130},
                           {3, 5, 7},
                           {64, 140, 300},
                           {50, 50, 8},
                           {450, 50, 130},
                           {700, 31, 60}})
        for (Op op_a : {Op::none, Op::transpose})
            for (Op op_b : {Op::none, Op::transpose})
                for (bool accumulate : {false, true}) {
                    const Matrix a = op_a == Op::none ? random_matrix(m, k, rng) : random_matrix(k, m, rng);
                    const Matrix b = op_b == Op::none ? random_matrix(k, n, rng) : random_matrix(n, k, rng);
                    Matrix fast = random_matrix(m, n, rng), plain = fast;
                    gemm(op_a, a, op_b, b, fast, accumulate);
                    gemm_reference(op_a, a, op_b, b, plain, accumulate);
                    const float tolerance = 1e-5f * static_cast<float>(k);
                    for (std::size_t i = 0; i < fast.size(); ++i)
                        ASSERT_NEAR(fast.data()[i], plain.data()[i], tolerance)
                            << m << "x" << n << "x" << k << " " << gemm_backend();
                }
}

TEST(Gemm, honors_strides) {
    Rng rng(12);
    const Matrix a = random_matrix(20, 40, rng), b = random_matrix(30, 40, rng);
    const MatrixView a_part(a.data() + 5, 20, 17, 40), b_part(b.data() + 9, 30, 17, 40);
    Matrix fast(20, 64), plain(20, 64);
    gemm(Op::none, a_part, Op::transpose, b_part, MutableMatrixView(fast.data() + 3, 20, 30, 64));
    gemm_reference(Op::none, a_part, Op::transpose, b_part, MutableMatrixView(plain.data() + 3, 20, 30, 64));
    for (std::size_t i = 0; i < fast.size(); ++i) ASSERT_NEAR(fast.data()[i], plain.data()[i], 1e-4f);
}

TEST(Transposed, swaps_rows_and_columns_of_whole_and_cut_tiles) {
    Rng rng(13);
    Matrix memory;
    for (const auto& [rows, cols] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {16, 32}, {40, 150}, {33, 7}}) {
        const Matrix m = random_matrix(rows, cols + 3, rng);  // the last columns are not part of it
        const MatrixView turned = transposed({m.data(), rows, cols, m.cols()}, memory);
        ASSERT_EQ(turned.rows, cols);
        ASSERT_EQ(turned.cols, rows);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < cols; ++j) ASSERT_EQ(turned(j, i), m(i, j)) << rows << "x" << cols;
    }
}

TEST(Exp, stays_within_three_ulp_of_the_standard_library) {
    for (float x = -87; x < 88; x += 0.0137f) ASSERT_NEAR(math::exp(x) / std::exp(x), 1.0f, 4e-7f) << x;
    EXPECT_EQ(math::exp(0.0f), 1.0f);
    EXPECT_GT(math::exp(-1000.0f), 0.0f);
    EXPECT_TRUE(std::isfinite(math::exp(1000.0f)));
}

TEST(Normals, have_the_moments_and_tails_of_the_normal_distribution) {
    constexpr std::size_t n = 400000;
    std::vector<float> z(n);
    for (std::size_t i = 0; i < n; i += 200) fill_normals(mix64(i), 0, 100, z.data() + i);
    double sum = 0, squares = 0, fourth = 0, neighbours = 0;
    int beyond2 = 0, beyond3 = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double v = static_cast<double>(z[i]);
        sum += v, squares += v * v, fourth += v * v * v * v;
        if (i > 0) neighbours += v * static_cast<double>(z[i - 1]);
        beyond2 += std::abs(v) > 2, beyond3 += std::abs(v) > 3;
    }
    EXPECT_NEAR(sum / n, 0, 0.008);
    EXPECT_NEAR(squares / n, 1, 0.012);
    EXPECT_NEAR(fourth / n, 3, 0.08);
    EXPECT_NEAR(neighbours / n, 0, 0.008);
    EXPECT_NEAR(beyond2 / double(n), 0.0455, 0.0015);
    EXPECT_NEAR(beyond3 / double(n), 0.0027, 0.0004);
}

TEST(Normals, come_from_functions_that_agree_with_the_standard_library) {
    for (float x = 1e-7f; x <= 1; x *= 1.01f) ASSERT_NEAR(math::log(x), std::log(x), 3e-6f) << x;
    for (float x = -3.1415926f; x <= 3.1415926f; x += 0.001f) {
        ASSERT_NEAR(math::sin(x), std::sin(x), 3e-6f) << x;
        ASSERT_NEAR(math::cos(x), std::cos(x), 3e-6f) << x;
    }
}

TEST(Scatter, drops_the_share_it_is_asked_to_and_two_keys_disagree) {
    const std::uint32_t threshold = static_cast<std::uint32_t>(0.25 * 4294967296.0);
    int dropped = 0, both = 0;
    constexpr int n = 100000;
    for (int i = 0; i < n; ++i) {
        const bool a = scatter(123, static_cast<std::uint32_t>(i)) < threshold;
        const bool b = scatter(456, static_cast<std::uint32_t>(i)) < threshold;
        dropped += a;
        both += a && b;
    }
    EXPECT_NEAR(dropped / double(n), 0.25, 0.005);
    EXPECT_NEAR(both / double(n), 0.0625, 0.004);
}

TEST(NearestDistances, equal_the_plain_loop_bit_for_bit_in_any_batch) {
    Rng rng(13);
    const Matrix x = random_matrix(70, 65, rng);
    Matrix u = random_matrix(900, 65, rng);
    for (std::size_t j = 0; j < 65; ++j)
        u(17, j) = x(3, j), u(18, j) = x(3, j) + 1e-4f;  // a duplicate and a near one
    std::vector<float> norms, expected(70), batch(70);
    for (std::size_t j = 0; j < u.rows(); ++j) norms.push_back(squared_norm(u.row(j), 65));
    nearest_squared_distances_reference(x, u, expected);
    nearest_squared_distances(x, u, norms, batch);
    EXPECT_EQ(batch, expected);
    EXPECT_EQ(batch[3], 0.0f);
    for (std::size_t i = 0; i < 70; ++i) {
        float one = -1;
        nearest_squared_distances(x.view().slice(i, 1), u, norms, {&one, 1});
        EXPECT_EQ(one, expected[i]);
    }
}

TEST(Gaussian, draws_have_the_mean_and_covariance_it_was_fitted_to) {
    Rng rng(14);
    const std::size_t d = 6, n = 400;
    const Matrix mix = random_matrix(d, d, rng), z = random_matrix(n, d, rng);
    Matrix rows(n, d);
    gemm_reference(Op::none, z, Op::none, mix, rows);
    for (bool diagonal : {false, true}) {
        const Gaussian g = fit_gaussian(rows, diagonal);
        Matrix draws(40000, d);
        for (std::size_t i = 0; i < draws.rows(); ++i) sample(g, mix64(77 + i), draws.row(i));
        const Gaussian again = fit_gaussian(draws, false);
        const Matrix expected = covariance(g), found = covariance(again);
        for (std::size_t i = 0; i < d; ++i) {
            EXPECT_NEAR(again.mean(0, i), g.mean(0, i), 0.08f);
            for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(found(i, j), expected(i, j), 0.35f) << diagonal;
        }
    }
}

TEST(Gaussian, many_draws_at_once_are_those_one_by_one) {
    Rng rng(16);
    const std::size_t d = 150, n = 70;
    const Matrix rows = random_matrix(180, d, rng);
    for (bool diagonal : {false, true}) {
        const Gaussian g = fit_gaussian(rows, diagonal);
        Matrix draws(n, d), one(1, d);
        std::vector<std::uint64_t> seeds;
        std::vector<float*> out;
        for (std::size_t i = 0; i < n; ++i) seeds.push_back(mix64(i)), out.push_back(draws.row(i));
        sample(g, seeds, out);
        for (std::size_t i = 0; i < n; ++i) {
            sample(g, seeds[i], one.data());
            EXPECT_TRUE(std::equal(one.data(), one.data() + d, draws.row(i))) << diagonal << " " << i;
        }
    }
}

TEST(Gaussian, covariance_is_the_unbiased_one_for_many_and_for_few_rows) {
    Rng rng(15);
    for (std::size_t n : {5u, 50u}) {
        const Matrix rows = random_matrix(n, 12, rng);
        const Gaussian g = fit_gaussian(rows, false);
        EXPECT_LE(g.factor.rows(), std::min<std::size_t>(n - 1, 12));
        const Matrix c = covariance(g);
        for (std::size_t i = 0; i < 12; ++i)
            for (std::size_t j = 0; j < 12; ++j) {
                double mean_i = 0, mean_j = 0, sum = 0;
                for (std::size_t r = 0; r < n; ++r)
                    mean_i += double(rows(r, i)) / double(n), mean_j += double(rows(r, j)) / double(n);
                for (std::size_t r = 0; r < n; ++r)
                    sum += (double(rows(r, i)) - mean_i) * (double(rows(r, j)) - mean_j);
                EXPECT_NEAR(c(i, j), sum / double(n - 1), 1e-4);
            }
    }
}

TEST(Gaussian, of_one_row_draws_that_row) {
    Matrix row(1, 4);
    std::iota(row.data(), row.data() + 4, 1.0f);
    float out[4];
    for (bool diagonal : {false, true}) {
        sample(fit_gaussian(row, diagonal), 5, out);
        for (int j = 0; j < 4; ++j) EXPECT_EQ(out[j], row(0, j));
    }
}

TEST(Gaussian, of_identical_rows_has_no_directions) {
    Matrix rows(7, 3);
    for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] = 0.5f;
    EXPECT_EQ(fit_gaussian(rows, false).factor.rows(), 0u);
}

// 70 rows of which some columns depend on others, in two parts: the whole fitted directly is the judge.
TEST(Moments, two_parts_merge_into_the_gaussian_of_the_whole) {
    Rng rng(21);
    Matrix rows = random_matrix(70, 12, rng);
    for (std::size_t i = 0; i < 70; ++i)
        rows(i, 3) = rows(i, 1) + 2 * rows(i, 2), rows(i, 5) += i < 30 ? 1.0f : 0.0f;
    for (bool diagonal : {false, true})
        for (std::size_t first : {1, 5, 30}) {  // a single row, fewer rows than columns, more
            const Gaussian whole = fit_gaussian(rows, diagonal);
            const Gaussian a = fit_gaussian(rows.view().slice(0, first), diagonal);
            const Gaussian b = fit_gaussian(rows.view().slice(first, 70 - first), diagonal);
            const Gaussian merged = merge(a, static_cast<double>(first), b, static_cast<double>(70 - first));
            const Matrix expected = covariance(whole), found = covariance(merged);
            EXPECT_EQ(merged.factor.rows(), whole.factor.rows());
            for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(merged.mean(0, j), whole.mean(0, j), 1e-5f);
            for (std::size_t j = 0; j < found.size(); ++j)
                EXPECT_NEAR(found.data()[j], expected.data()[j], 2e-5f) << "first part of " << first;
        }
}

TEST(Moments, merging_keeps_the_rank_it_is_given) {
    Rng rng(22);
    const Matrix rows = random_matrix(60, 10, rng);
    const Gaussian a = fit_gaussian(rows.view().slice(0, 30), false, 3);
    const Gaussian b = fit_gaussian(rows.view().slice(30, 30), false, 3);
    EXPECT_EQ(merge(a, 30, b, 30, 3).factor.rows(), 3u);
    EXPECT_EQ(merge(a, 30, b, 30).factor.rows(), 7u) << "three of each and the means' difference";
}

}  // namespace
}  // namespace fearnet::math
