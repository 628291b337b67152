// Statistics of FearNetPlus against plain versions of their equations.
#include <gtest/gtest.h>

#include <cmath>

#include "contract/same_states.hpp"
#include "core/learners/kit/class_moments.hpp"
#include "core/learners/plus/packed_symmetric.hpp"
#include "core/learners/plus/shared_covariance.hpp"
#include "support/blobs.hpp"
#include "support/dense.hpp"

namespace fearnet {
namespace {

using test::columns_of;
using test::dense;
using test::Dense;
using test::matrix;
using test::normals;
using test::symmetric;

Dense covariance(std::size_t k, std::uint64_t seed) {
    const Dense a = dense(normals(3 * k, k, seed));
    return a.transpose() * a / static_cast<double>(3 * k);
}

TEST(PackedSymmetric, is_close_and_packing_again_changes_nothing) {
    const Matrix m = matrix(covariance(40, 1));
    const PackedSymmetric packed_once(m);
    const Matrix back = packed_once.unpacked();
    double worst = 0;
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            worst =
                std::max(worst, std::abs(static_cast<double>(back(i, j) - m(i, j))) /
                                    std::sqrt(static_cast<double>(m(i, i)) * static_cast<double>(m(j, j))));
        }
    EXPECT_LT(worst, 1.7e-5);
    EXPECT_GT(worst, 1e-7) << "nothing was rounded: is it packed at all?";
    EXPECT_LT(packed_once.bytes(), m.bytes() * 3 / 10);
    State one, two;
    packed_once.save(one, "p");
    PackedSymmetric(back).save(two, "p");
    contract::expect_same(one, two);
}

TEST(PackedSymmetric, keeps_a_direction_without_variance_and_refuses_what_it_cannot_hold) {
    Matrix m(3, 3);
    m(0, 0) = 4, m(2, 2) = 1, m(0, 2) = m(2, 0) = -1;
    const Matrix back = PackedSymmetric(m).unpacked();
    EXPECT_EQ(back(1, 1), 0);
    EXPECT_EQ(back(0, 0), 4);
    EXPECT_NEAR(back(2, 0), -1, 1e-4);
    EXPECT_EQ(back(0, 2), 0) << "the lower triangle only";
    State state;
    PackedSymmetric(m).save(state, "p");
    EXPECT_THROW(PackedSymmetric::load(state, "p", 4), Error);
    state.values<std::vector<std::int16_t>>("p.quantized")[0] = -32768;
    EXPECT_THROW(PackedSymmetric::load(state, "p", 3), Error);
}

TEST(ClassMoments, removed_rows_leave_what_the_others_give) {
    const Examples all = test::blobs(0, 3, 20, 6, 1);
    const std::vector<std::int32_t> columns = columns_of(all);
    ClassMoments both, rest;
    both.add(all.x, columns, 3, true);
    // The first seven rows of class 0, and two of class 1.
    std::vector<std::size_t> gone{0, 1, 2, 3, 4, 5, 6, 20, 21}, stay;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (std::find(gone.begin(), gone.end(), i) == gone.end()) stay.push_back(i);
    const auto part = [&](const std::vector<std::size_t>& rows, Matrix& x,
                          std::vector<std::int32_t>& labels) {
        x = Matrix(rows.size(), 6);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::copy_n(all.x.row(rows[i]), 6, x.row(i));
            labels.push_back(columns[rows[i]]);
        }
    };
    Matrix gone_x, stay_x;
    std::vector<std::int32_t> gone_columns, stay_columns;
    part(gone, gone_x, gone_columns);
    part(stay, stay_x, stay_columns);
    both.remove(gone_x, gone_columns);
    rest.add(stay_x, stay_columns, 3, true);
    EXPECT_EQ(both.counts, rest.counts);
    EXPECT_LT((dense(both.means) - dense(rest.means)).cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_LT((symmetric(both.scatter) - symmetric(rest.scatter)).cwiseAbs().maxCoeff(), 1e-4);
    both.drop(1);
    EXPECT_EQ(both.counts, (std::vector<std::int64_t>{13, 20}));
    EXPECT_EQ(both.means(1, 0), rest.means(2, 0));
}

TEST(ClassMoments, of_wide_rows_are_the_plain_sums) {
    constexpr std::size_t kWidth = 600;  // more than one block
    const Matrix rows = normals(20, kWidth, 5);
    const std::vector<std::int32_t> columns(20, 0);
    ClassMoments moments;
    moments.add(rows.view().slice(0, 8), std::span(columns).first(8), 1, true);
    moments.add(rows.view().slice(8, 12), std::span(columns).first(12), 1, true);
    const Dense r = dense(rows), centered = r.rowwise() - r.colwise().mean();
    EXPECT_LT((symmetric(moments.scatter) - centered.transpose() * centered).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(SharedCovariance, shrinks_more_where_rounding_would_decide) {
    constexpr std::size_t kWidth = 60;
    const Dense few = dense(normals(5, kWidth, 6));
    Dense scatter = few.transpose() * few;  // of five directions
    const double diagonal = scatter.trace() / kWidth;
    const auto again = [&] { return matrix(scatter); };
    EXPECT_NEAR(SharedCovariance(again(), 1, 1e-3, again).ridge(), 1e-3 * diagonal, 1e-6 * diagonal);
    const Dense noise = dense(normals(kWidth, kWidth, 7));
    scatter += 1e-3 * diagonal / std::sqrt(4.0 * kWidth) * (noise + noise.transpose());
    EXPECT_GT(SharedCovariance(again(), 1, 1e-3, again).ridge(), 2e-3 * diagonal);
}

}  // namespace
}  // namespace fearnet
