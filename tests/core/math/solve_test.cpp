// Factors and eigenvectors against Eigen's in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/math/gram.hpp"
#include "core/math/solve.hpp"
#include "fearnet/error.hpp"
#include "fearnet/rng.hpp"
#include "support/dense.hpp"

namespace fearnet::math {
namespace {

using test::dense;
using test::Dense;
using test::matrix;
using test::normals;

TEST(CholeskyFactor, solves_whitens_and_goes_back) {
    // Less than a small block, one, a block with a rest inside, one block, and several with a rest.
    for (const std::size_t n : {9u, 64u, 100u, 128u, 600u}) {
        const Dense half = dense(normals(n, n, 3));
        const auto size = static_cast<Eigen::Index>(n);
        const Dense a = half.transpose() * half / static_cast<double>(n) + Dense::Identity(size, size);
        const Dense l = a.llt().matrixL();
        const CholeskyFactor factor(matrix(a));
        const Matrix rows = normals(200, n, 4);  // more than one thread takes
        Matrix solved = rows, white = rows, back = rows;
        factor.solve(solved);
        factor.whiten(white);
        factor.unwhiten(back);
        const Dense r = dense(rows).transpose();
        EXPECT_LT((dense(solved).transpose() - a.llt().solve(r)).cwiseAbs().maxCoeff(), 1e-4) << n;
        EXPECT_LT(
            (dense(white).transpose() - l.triangularView<Eigen::Lower>().solve(r)).cwiseAbs().maxCoeff(),
            1e-4)
            << n;
        EXPECT_LT((dense(back).transpose() - l.transpose().triangularView<Eigen::Upper>().solve(r))
                      .cwiseAbs()
                      .maxCoeff(),
                  1e-4)
            << n;
        EXPECT_LT((dense(factor.lower()) - l).cwiseAbs().maxCoeff(), 1e-4) << n;
        EXPECT_NEAR(factor.least_pivot(), l.diagonal().cwiseAbs2().minCoeff(), 1e-4) << n;
        EXPECT_THROW(CholeskyFactor(matrix(-a)), Error) << n;
        Matrix none = matrix(a);
        none(n - 1, n - 1) = std::numeric_limits<float>::quiet_NaN();
        EXPECT_THROW(CholeskyFactor(std::move(none)), Error) << n;
    }
}

TEST(Gram, adds_one_triangle_that_can_be_mirrored) {
    for (const std::size_t n : {9u, 256u, 600u}) {
        const Matrix rows = normals(30, n, 6);
        Matrix sum = normals(n, n, 7);
        const Dense before = dense(sum), r = dense(rows);
        add_gram(rows, sum);
        const Dense expected = before + r.transpose() * r;
        const Dense lower = (dense(sum) - expected).triangularView<Eigen::Lower>();
        EXPECT_LT(lower.cwiseAbs().maxCoeff(), 1e-4) << n;
        mirror_lower(sum);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j) ASSERT_EQ(sum(i, j), sum(j, i)) << n;
        const Dense kept = (dense(sum) - expected).triangularView<Eigen::Lower>();
        EXPECT_EQ(kept, lower) << "what was below the diagonal stays";
        add_gram(Matrix(0, n), sum);
        EXPECT_EQ(Dense((dense(sum) - expected).triangularView<Eigen::Lower>()), lower);
    }
}

TEST(LeadingEigenvectors, are_those_of_the_whole_matrix) {
    // A few large variances among many small ones, as classes have them.
    constexpr std::size_t n = 120;
    Matrix rows = normals(n, 300, 5);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < 6; ++j) rows(i, j) *= static_cast<float>(16 - 2 * j);
    const Dense gram = dense(rows) * dense(rows).transpose();
    const auto all = largest_eigenvectors(matrix(gram), 4), some = leading_eigenvectors(matrix(gram), 4);
    ASSERT_EQ(some.size(), 4u);
    for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_NEAR(some[k].value / all[k].value, 1, 1e-4) << k;
        double product = 0;
        for (std::size_t i = 0; i < n; ++i)
            product += static_cast<double>(all[k].vector[i]) * static_cast<double>(some[k].vector[i]);
        EXPECT_NEAR(std::abs(product), 1, 1e-3) << k;
    }
}

}  // namespace
}  // namespace fearnet::math
