// The class covariances of FearNetPlus against plain versions of their equations.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/learners/kit/held_out.hpp"
#include "core/learners/plus/class_covariances.hpp"
#include "support/dense.hpp"

namespace fearnet {
namespace {

using test::dense;
using test::Dense;
using test::normals;
using test::symmetric;
using Vector = Eigen::VectorXd;

void learn(ClassCovariances& covariances, std::size_t column, MatrixView rows,
           const SharedCovariance& covariance) {
    AxisFit fit;
    fit.add(column, rows, {}, rows.rows);
    covariance.whiten(fit.samples());
    covariances.learn(fit, covariance);
}

// What the covariances add to the scores.
Matrix terms(ClassCovariances& covariances, MatrixView rows, std::size_t classes, double strength) {
    Matrix scores(rows.rows, classes);
    covariances.set_strength(strength);
    covariances.correct(rows, scores);
    return scores;
}

// Rows of one class that vary most along two axes, around a mean.
Matrix stretched(std::size_t rows, std::uint64_t seed) {
    Matrix x = normals(rows, 10, seed);
    for (std::size_t i = 0; i < rows; ++i) {
        x(i, 1) = 5 * x(i, 1) + 2;
        x(i, 4) = 3 * x(i, 4) - x(i, 1);
    }
    return x;
}

TEST(ClassCovariances, add_what_a_low_rank_gaussian_says) {
    // Plainly: whiten, take the class's two largest principal axes, invert I + strength V U V^T.
    const Matrix rows = stretched(60, 6), others = normals(200, 10, 7), probe = stretched(12, 8);
    ClassMoments moments;
    moments.add(rows, std::vector<std::int32_t>(60, 0), 2, true);
    moments.add(others, std::vector<std::int32_t>(200, 1), 2, true);
    const SharedCovariance covariance(moments, 0.1);
    ClassCovariances covariances(2);
    learn(covariances, 0, rows, covariance);
    learn(covariances, 1, others, covariance);
    covariances.set_ridge(covariance.ridge());
    constexpr double kStrength = 0.4;

    Dense w = symmetric(moments.scatter) / 260;
    w += covariance.ridge() * Dense::Identity(10, 10);
    const Dense l = w.llt().matrixL();
    const auto expected = [&](const Matrix& own, const Vector& x) {
        const Dense off = dense(own).rowwise() - dense(own).colwise().mean();
        const Dense white = off * l.inverse().transpose();
        const Eigen::SelfAdjointEigenSolver<Dense> solver(white.transpose() * white /
                                                          static_cast<double>(own.rows() - 1));
        const Dense v = solver.eigenvectors().rightCols(2);
        const Dense s = Dense::Identity(10, 10) +
                        kStrength * v * solver.eigenvalues().tail(2).asDiagonal() * v.transpose();
        const Vector z = l.inverse() * (x - dense(own).colwise().mean().transpose());
        return 0.5 * (z.dot(z) - z.dot(s.inverse() * z));
    };
    for (const std::size_t count : {12u, 3u}) {  // through a matrix product and one by one
        const Matrix corrected = terms(covariances, probe.view().slice(0, count), 2, kStrength),
                     none = terms(covariances, probe.view().slice(0, count), 2, 0);
        for (std::size_t i = 0; i < count; ++i) {
            const Vector x = dense(probe.view().slice(i, 1)).row(0).transpose();
            for (int c = 0; c < 2; ++c) {
                const double want = expected(c == 0 ? rows : others, x);
                EXPECT_NEAR(corrected(i, static_cast<std::size_t>(c)), want, 0.02 * (1 + want))
                    << i << " " << c;
            }
            EXPECT_EQ(none(i, 0), 0);
        }
    }
}

TEST(ClassCovariances, count_rows_that_come_later_and_give_classes_without_axes_the_average) {
    const Matrix rows = stretched(80, 6);
    ClassMoments moments;
    moments.add(rows, std::vector<std::int32_t>(80, 0), 3, true);
    moments.add(normals(2, 10, 9), std::vector<std::int32_t>(2, 1), 3, true);
    moments.add(normals(40, 10, 10), std::vector<std::int32_t>(40, 2), 3, true);
    const SharedCovariance covariance(moments, 0.1);
    ClassCovariances whole(3), parts(3);
    learn(whole, 0, rows, covariance);
    learn(parts, 0, rows.view().slice(0, 50), covariance);
    parts.meet(0, rows.view().slice(50, 30), 50);
    const auto numbers = [](const ClassCovariances& covariances) {
        State state;
        covariances.save(state);
        return state.matrix("covariances.numbers");
    };
    const Matrix a = numbers(whole), b = numbers(parts);
    // Offset and variance along the first direction; the axes differ a little.
    EXPECT_NEAR(std::abs(a(0, 1)), std::abs(b(0, 1)), 0.1f);
    EXPECT_NEAR(a(0, 2), b(0, 2), 0.15f * a(0, 2));

    learn(whole, 1, normals(2, 10, 9), covariance);  // too few rows for an axis
    learn(whole, 2, normals(40, 10, 10), covariance);
    whole.set_ridge(covariance.ridge());
    const Matrix scores = terms(whole, rows.view().slice(0, 10), 3, 1);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(scores(i, 1), (scores(i, 0) + scores(i, 2)) / 2, 1e-3);
}

TEST(ClassCovariances, found_in_later_rows_lie_around_the_mean_of_all) {
    // Few rows, then more of them elsewhere: what is found in the later ones must be as if found in all.
    Matrix rows = stretched(120, 6);
    for (std::size_t i = 50; i < 120; ++i)
        for (std::size_t j = 0; j < 10; ++j) rows(i, j) += 1;
    ClassMoments moments;
    moments.add(rows, std::vector<std::int32_t>(120, 0), 1, true);
    const SharedCovariance covariance(moments, 0.1);
    ClassCovariances later(3);
    learn(later, 0, rows.view().slice(50, 70), covariance);
    later.center(0, moments.means.row(0), 50, 70);
    later.set_ridge(covariance.ridge());
    State state;
    later.save(state);
    const Matrix& numbers = state.matrix("covariances.numbers");
    const std::vector<std::int8_t>& quantized = state.list<std::int8_t>("covariances.quantized");
    ASSERT_EQ(numbers.rows(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
        double mean = 0, squares = 0;
        const auto along = [&](std::size_t i) {
            double sum = 0;
            for (std::size_t j = 0; j < 10; ++j)
                sum += static_cast<double>(numbers(k, 0) * quantized[k * 10 + j] * rows(i, j));
            return sum;
        };
        for (std::size_t i = 0; i < 120; ++i) mean += along(i) / 120;
        for (std::size_t i = 0; i < 120; ++i) squares += (along(i) - mean) * (along(i) - mean) / 119;
        EXPECT_NEAR(numbers(k, 1), mean, 1e-3) << k;
        EXPECT_NEAR(numbers(k, 2), squares, 0.35 * squares) << k;  // the first rows vary a little differently
    }
}

TEST(ClassCovariances, stay_finite_for_a_row_that_is_far_away) {
    const Matrix rows = stretched(80, 6);
    ClassMoments moments;
    moments.add(rows, std::vector<std::int32_t>(80, 0), 2, true);
    moments.add(normals(2, 10, 9), std::vector<std::int32_t>(2, 1), 2, true);
    const SharedCovariance covariance(moments, 0.1);
    ClassCovariances covariances(3);
    learn(covariances, 0, rows, covariance);
    covariances.leave_out(1);
    Matrix far(1, 10);
    for (std::size_t j = 0; j < 10; ++j) far(0, j) = 1e20f;
    const Matrix scores = terms(covariances, far, 2, 1);
    EXPECT_TRUE(std::isfinite(scores(0, 0)) && std::isfinite(scores(0, 1)));
}

TEST(ClassCovariances, keep_fewer_axes_of_each_when_there_are_many_classes) {
    const Matrix rows = stretched(60, 6);
    ClassMoments moments;
    moments.add(rows, std::vector<std::int32_t>(60, 0), 1, true);
    const SharedCovariance covariance(moments, 0.1);
    ClassCovariances covariances(4, 9);
    for (std::size_t c = 0; c < 3; ++c) learn(covariances, c, rows, covariance);
    State state;
    covariances.save(state);
    EXPECT_EQ(state.integer("covariances.sizes"), (std::vector<std::int64_t>{3, 3, 3}));
    const std::size_t three = covariances.bytes();
    learn(covariances, 3, rows, covariance);  // a new class gets no more than the others
    State fourth;
    covariances.save(fourth);
    EXPECT_EQ(fourth.integer("covariances.sizes"), (std::vector<std::int64_t>{2, 2, 2, 2}));
    learn(covariances, 4, rows, covariance);
    learn(covariances, 5, rows, covariance);
    State sixth;
    covariances.save(sixth);
    EXPECT_EQ(sixth.integer("covariances.sizes"), (std::vector<std::int64_t>{1, 1, 1, 1, 1, 1}));
    const ClassCovariances back = ClassCovariances::load(state, 3, 10, 4);
    EXPECT_EQ(back.bytes(), three);
    EXPECT_THROW(ClassCovariances::load(state, 2, 10, 4), Error);
    EXPECT_THROW(ClassCovariances::load(state, 3, 11, 4), Error);
    for (const auto& [key, row, column, value] :
         {std::tuple{"covariances.numbers", 0, 0, 0.0f},
          {"covariances.numbers", 1, 2, -1.0f},
          {"covariances.numbers", 1, 1, std::numeric_limits<float>::infinity()}}) {
        State bad = state;
        bad.values<Matrix>(key)(static_cast<std::size_t>(row), static_cast<std::size_t>(column)) = value;
        EXPECT_THROW(ClassCovariances::load(bad, 3, 10, 4), Error) << key << " " << value;
    }
    State bad = state;
    bad.values<std::vector<std::int8_t>>("covariances.quantized")[23] = -128;
    EXPECT_THROW(ClassCovariances::load(bad, 3, 10, 4), Error);
    for (const std::vector<double>& settings :
         {std::vector<double>{0, -1}, {std::numeric_limits<double>::infinity(), 0}, {0}}) {
        bad = state;
        bad.set("covariances.settings", settings);
        EXPECT_THROW(ClassCovariances::load(bad, 3, 10, 4), Error);
    }
}

TEST(ClassCovariances, of_many_classes_at_once_are_those_of_one_after_another) {
    const Matrix rows = stretched(90, 6);
    ClassMoments moments;
    moments.add(rows, std::vector<std::int32_t>(90, 0), 1, true);
    const SharedCovariance covariance(moments, 0.1);
    ClassCovariances together(3), single(3);
    AxisFit fit;
    for (std::size_t c = 0; c < 3; ++c) {
        fit.add(c, rows.view().slice(30 * c, 30), {}, 20);
        AxisFit one;
        one.add(c, rows.view().slice(30 * c, 30), {}, 20);
        covariance.whiten(one.samples());
        single.learn(one, covariance);
    }
    EXPECT_EQ(fit.rows(), 60u) << "20 of the 30 rows of each";
    covariance.whiten(fit.samples());
    together.learn(fit, covariance);
    const Matrix a = terms(together, rows, 3, 1), b = terms(single, rows, 3, 1);
    EXPECT_LT((dense(a) - dense(b)).cwiseAbs().maxCoeff(), 1e-3 * dense(b).cwiseAbs().maxCoeff());
}

// Of every row: fit the axes of all classes without its fold, and ask them.
TEST(ClassCovariances, of_a_sample_are_refined_by_all_rows_of_the_class) {
    constexpr std::size_t kAll = 400, kSome = 20;
    const Matrix rows = stretched(kAll, 26), others = normals(4000, 10, 27), probe = stretched(40, 28);
    ClassMoments moments;
    moments.add(rows, std::vector<std::int32_t>(kAll, 0), 2, true);
    moments.add(others, std::vector<std::int32_t>(4000, 1), 2, true);
    const SharedCovariance covariance(moments, 0.1);
    Matrix some(kSome, 10);
    for (std::size_t i = 0; i < kSome; ++i) std::copy_n(rows.row(i * kAll / kSome), 10, some.row(i));
    const auto with = [&](MatrixView own, std::size_t sample) {
        ClassCovariances covariances(2);
        AxisFit fit;
        fit.add(0, own, {}, sample);
        covariance.whiten(fit.samples());
        covariances.learn(fit, covariance);
        covariances.set_ridge(covariance.ridge());
        return dense(terms(covariances, probe, 1, 0.4));
    };
    const Dense all = with(rows, kAll);
    EXPECT_LT((with(rows, kSome) - all).norm(), 0.02 * all.norm());
    EXPECT_GT((with(some, kSome) - all).norm(), 0.05 * all.norm()) << "the rows of the sample alone differ";
}

TEST(HeldOutAxisTerms, are_those_of_class_covariances_fitted_without_the_rows_fold) {
    constexpr std::size_t kClasses = 3, kRows = 40;
    const Matrix rows = stretched(kClasses * kRows, 6);
    std::vector<std::int32_t> columns;
    for (std::size_t i = 0; i < rows.rows(); ++i) columns.push_back(static_cast<std::int32_t>(i / kRows));
    const double strengths[] = {0.5};
    const Matrix held_out = held_out_axis_terms(rows, columns, kClasses, 2, strengths)[0];

    ClassMoments identity;  // no variance: the shared covariance is the identity
    identity.add(Matrix(2, rows.cols()), std::vector<std::int32_t>(2, 0), 1, true);
    const SharedCovariance covariance(identity, 1);
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
        const HeldOutSplit split = hold_out(columns, kClasses, (fold + 1) % kFolds);
        ClassCovariances fitted(2);
        for (std::size_t c = 0; c < kClasses; ++c) {
            Matrix fit(0, rows.cols());
            for (const std::size_t i : split.fit)
                if (static_cast<std::size_t>(columns[i]) == c) {
                    fit.resize_rows(fit.rows() + 1);
                    std::copy_n(rows.row(i), rows.cols(), fit.row(fit.rows() - 1));
                }
            learn(fitted, c, fit, covariance);
        }
        fitted.set_ridge(covariance.ridge());
        for (const std::size_t i : split.held) {
            const Matrix expected = terms(fitted, rows.view().slice(i, 1), kClasses, 0.5);
            for (std::size_t c = 0; c < kClasses; ++c)
                EXPECT_NEAR(held_out(i, c), expected(0, c), 0.03 * (1 + expected(0, c))) << i << " " << c;
        }
    }
}

}  // namespace
}  // namespace fearnet
