// The parts of FearNetPlus against plain versions of their equations.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "contract/same_states.hpp"
#include "core/learners/kit/class_moments.hpp"
#include "core/learners/kit/linear_readout.hpp"
#include "core/learners/plus/class_covariances.hpp"
#include "core/learners/plus/feature_map.hpp"
#include "core/learners/plus/frames.hpp"
#include "core/learners/plus/linear_discriminant.hpp"
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
using Vector = Eigen::VectorXd;

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

// Rows of one class that vary most along two directions, around a mean.
Matrix stretched(std::size_t rows, std::uint64_t seed) {
    Matrix x = normals(rows, 10, seed);
    for (std::size_t i = 0; i < rows; ++i) {
        x(i, 1) = 5 * x(i, 1) + 2;
        x(i, 4) = 3 * x(i, 4) - x(i, 1);
    }
    return x;
}

TEST(ClassCovariances, add_what_a_low_rank_gaussian_says) {
    // Plainly: whiten, take the class's two largest principal directions, invert I + strength V U V^T.
    const Matrix rows = stretched(60, 6), others = normals(200, 10, 7), probe = stretched(12, 8);
    ClassMoments moments;
    moments.add(rows, std::vector<std::int32_t>(60, 0), 2, true);
    moments.add(others, std::vector<std::int32_t>(200, 1), 2, true);
    const SharedCovariance metric(moments, 0.1);
    ClassCovariances shapes(2);
    shapes.learn(0, rows, metric);
    shapes.learn(1, others, metric);
    shapes.set_ridge(metric.ridge());
    constexpr double kStrength = 0.4;

    Dense w = symmetric(moments.scatter) / 260;
    w += metric.ridge() * Dense::Identity(10, 10);
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
    const double strengths[] = {kStrength, 0};
    for (const std::size_t count : {12u, 3u}) {  // through a matrix product and one by one
        const auto corrected = shapes.corrected(probe.view().slice(0, count), Matrix(count, 2), strengths);
        for (std::size_t i = 0; i < count; ++i) {
            const Vector x = dense(probe.view().slice(i, 1)).row(0).transpose();
            for (int c = 0; c < 2; ++c) {
                const double want = expected(c == 0 ? rows : others, x);
                EXPECT_NEAR(corrected[0](i, static_cast<std::size_t>(c)), want, 0.02 * (1 + want))
                    << i << " " << c;
            }
            EXPECT_EQ(corrected[1](i, 0), 0);
        }
    }
}

TEST(ClassCovariances, count_rows_that_come_later_and_give_classes_without_a_shape_the_average) {
    const Matrix rows = stretched(80, 6);
    ClassMoments moments;
    moments.add(rows, std::vector<std::int32_t>(80, 0), 3, true);
    moments.add(normals(2, 10, 9), std::vector<std::int32_t>(2, 1), 3, true);
    moments.add(normals(40, 10, 10), std::vector<std::int32_t>(40, 2), 3, true);
    const SharedCovariance metric(moments, 0.1);
    ClassCovariances whole(3), parts(3);
    whole.learn(0, rows, metric);
    parts.learn(0, rows.view().slice(0, 50), metric);
    parts.meet(0, rows.view().slice(50, 30), 50);
    const auto numbers = [](const ClassCovariances& shapes) {
        State state;
        shapes.save(state);
        return state.matrix("covariances.numbers");
    };
    const Matrix a = numbers(whole), b = numbers(parts);
    // Offset and variance along the first direction; the directions differ a little.
    EXPECT_NEAR(std::abs(a(0, 1)), std::abs(b(0, 1)), 0.1f);
    EXPECT_NEAR(a(0, 2), b(0, 2), 0.15f * a(0, 2));

    whole.learn(1, normals(2, 10, 9), metric);  // too few rows for a direction
    whole.learn(2, normals(40, 10, 10), metric);
    whole.set_ridge(metric.ridge());
    const double strengths[] = {1};
    const Matrix scores = whole.corrected(rows.view().slice(0, 10), Matrix(10, 3), strengths)[0];
    for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(scores(i, 1), (scores(i, 0) + scores(i, 2)) / 2, 1e-3);
}

TEST(ClassCovariances, found_in_later_rows_lie_around_the_mean_of_all) {
    // Few rows, then more of them elsewhere: what is found in the later ones must be as if found in all.
    Matrix rows = stretched(120, 6);
    for (std::size_t i = 50; i < 120; ++i)
        for (std::size_t j = 0; j < 10; ++j) rows(i, j) += 1;
    ClassMoments moments;
    moments.add(rows, std::vector<std::int32_t>(120, 0), 1, true);
    const SharedCovariance metric(moments, 0.1);
    ClassCovariances later(3);
    later.learn(0, rows.view().slice(50, 70), metric);
    later.center(0, moments.means.row(0), 50, 70);
    later.set_ridge(metric.ridge());
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
    const SharedCovariance metric(moments, 0.1);
    ClassCovariances shapes(3);
    shapes.learn(0, rows, metric);
    shapes.leave_out(1);
    Matrix far(1, 10);
    for (std::size_t j = 0; j < 10; ++j) far(0, j) = 1e20f;
    const double strengths[] = {1};
    const Matrix scores = shapes.corrected(far, Matrix(1, 2), strengths)[0];
    EXPECT_TRUE(std::isfinite(scores(0, 0)) && std::isfinite(scores(0, 1)));
}

TEST(ClassCovariances, keep_fewer_directions_of_each_when_there_are_many_classes) {
    const Matrix rows = stretched(60, 6);
    ClassMoments moments;
    moments.add(rows, std::vector<std::int32_t>(60, 0), 1, true);
    const SharedCovariance metric(moments, 0.1);
    ClassCovariances shapes(4, 9);
    for (std::size_t c = 0; c < 3; ++c) shapes.learn(c, rows, metric);
    State state;
    shapes.save(state);
    EXPECT_EQ(state.integer("covariances.sizes"), (std::vector<std::int64_t>{3, 3, 3}));
    const std::size_t three = shapes.bytes();
    shapes.learn(3, rows, metric);  // a new class gets no more than the others
    State fourth;
    shapes.save(fourth);
    EXPECT_EQ(fourth.integer("covariances.sizes"), (std::vector<std::int64_t>{2, 2, 2, 2}));
    shapes.learn(4, rows, metric);
    shapes.learn(5, rows, metric);
    State sixth;
    shapes.save(sixth);
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

// The linear discriminant with shrunken means in double precision. `center`, `dof`, `ridge` and the divisor
// of the scatter are given, so that they can be kept when a row is left out.
struct PlainDiscriminant {
    PlainDiscriminant(const Dense& x, const std::vector<std::int32_t>& columns, int classes, double divisor,
                      double ridge, const Eigen::RowVectorXd& origin, double dof)
        : center(origin) {
        const auto d = x.cols();
        means = Dense::Zero(classes, d);
        counts = Vector::Zero(classes);
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            means.row(columns[static_cast<std::size_t>(i)]) += x.row(i);
            counts(columns[static_cast<std::size_t>(i)]) += 1;
        }
        for (int c = 0; c < classes; ++c) means.row(c) /= counts(c);
        Dense w = ridge * Dense::Identity(d, d);
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            const Eigen::RowVectorXd off = x.row(i) - means.row(columns[static_cast<std::size_t>(i)]);
            w += off.transpose() * off / divisor;
        }
        inverse = w.inverse();
        const Dense z = means.rowwise() - origin, g = z * inverse * z.transpose(),
                    noise = (2 * dof * counts.cwiseInverse()).asDiagonal();
        shrunken = dof > 0 ? Dense(g * (g + noise).inverse() * z) : z;
        squared = (shrunken * inverse * shrunken.transpose()).diagonal();
    }
    // Kinds of scores: by distance, by angle.
    Vector scores(const Eigen::RowVectorXd& x, bool angle, double mean_norm) const {
        const Vector products = shrunken * inverse * (x - center).transpose();
        if (angle) return mean_norm * products.cwiseQuotient(squared.cwiseSqrt());
        return products - 0.5 * squared;
    }
    Dense means, inverse, shrunken;
    Vector counts, squared;
    Eigen::RowVectorXd center;
};

// 200 rows of 7 classes, one of two rows.
Examples uneven_rows() {
    Examples data = test::blobs(0, 7, 33, 12, 1, 0.8);
    data.x.resize_rows(200);
    data.labels.resize(200);
    return data;
}

TEST(LinearDiscriminant, shrinks_class_means_by_their_sampling_variance) {
    const Examples data = uneven_rows();
    ClassMoments moments;
    moments.add(data.x, columns_of(data), 7, true);
    const SharedCovariance covariance(moments, 0.2);
    const LinearDiscriminant discriminant(moments, covariance);
    const Eigen::RowVectorXd center = dense(moments.means).colwise().mean();
    const PlainDiscriminant plain(dense(data.x), columns_of(data), 7, 200, covariance.ridge(), center,
                                  covariance.effective_dof());
    const double mean_norm = plain.squared.cwiseSqrt().mean();
    const Examples probe = test::blobs(0, 7, 5, 12, 7, 0.8);
    for (const bool angle : {false, true}) {
        const LinearReadout readout = angle ? discriminant.by_angle() : discriminant.by_distance();
        const Matrix scores = readout.scores(probe.x);
        for (std::size_t i = 0; i < probe.size(); ++i) {
            const Vector expected = plain.scores(dense(probe.x.view().slice(i, 1)).row(0), angle, mean_norm);
            for (std::size_t c = 0; c < 7; ++c)
                EXPECT_NEAR(scores(i, c), expected(static_cast<Eigen::Index>(c)), 2e-4) << angle;
        }
    }
}

TEST(LinearDiscriminant, leave_one_out_scores_are_those_of_a_fit_without_the_row) {
    const Examples data = uneven_rows();
    const std::vector<std::int32_t> columns = columns_of(data);
    ASSERT_EQ(std::count(columns.begin(), columns.end(), 6), 2) << "a class of two rows";
    ClassMoments moments;
    moments.add(data.x, columns, 7, true);
    const SharedCovariance covariance(moments, 0.2);
    const LinearDiscriminant discriminant(moments, covariance);
    const Eigen::RowVectorXd center = dense(moments.means).colwise().mean();
    Matrix rows = data.x;
    for (std::size_t i = 0; i < rows.rows(); ++i)
        for (std::size_t j = 0; j < rows.cols(); ++j) rows(i, j) -= discriminant.center()[j];
    covariance.whiten(rows);
    const DiscriminantScores left_out = discriminant.leave_one_out(rows, columns);
    for (const bool angle : {false, true}) {
        const Matrix scores = angle ? left_out.by_angle() : left_out.by_distance();
        for (std::size_t i = 0; i < data.size(); ++i) {
            Dense others(199, 12);
            std::vector<std::int32_t> their_columns;
            for (std::size_t k = 0; k < data.size(); ++k) {
                if (k == i) continue;
                others.row(static_cast<Eigen::Index>(their_columns.size())) =
                    dense(data.x.view().slice(k, 1)).row(0);
                their_columns.push_back(columns[k]);
            }
            const PlainDiscriminant plain(others, their_columns, 7, 200, covariance.ridge(), center,
                                          covariance.effective_dof());
            const Vector expected =
                plain.scores(dense(data.x.view().slice(i, 1)).row(0), angle, left_out.mean_norm);
            const double scale = 1 + expected.cwiseAbs().maxCoeff();
            for (std::size_t c = 0; c < 7; ++c)
                EXPECT_NEAR(scores(i, c) / scale, expected(static_cast<Eigen::Index>(c)) / scale, 1e-4)
                    << "row " << i << ", class " << c << ", by angle " << angle;
        }
    }
}

TEST(SharedCovariance, knows_in_how_many_directions_rows_vary) {
    constexpr std::size_t kWidth = 300;
    const Matrix rows = normals(400, kWidth, 4);
    const std::vector<std::int32_t> columns(400, 0);
    ClassMoments moments;
    moments.add(rows, columns, 1, true);
    const Dense within = symmetric(moments.scatter) / 400;
    for (const double shrinkage : {0.1, 1.0}) {
        const SharedCovariance metric(moments, shrinkage);
        const Dense w = within + metric.ridge() * Dense::Identity(kWidth, kWidth);
        const double exact = (within * w.inverse()).trace();
        EXPECT_NEAR(metric.effective_dof(), exact, 0.03 * exact);
    }
}

// Rows of `frames` pieces: `shared` of a piece's features is the row's, the rest its own.
Matrix pieces(std::size_t rows, std::size_t frames, std::size_t width, float shared) {
    const Matrix of_row = normals(rows, width, 1), own = normals(rows, frames * width, 2);
    Matrix x(rows, frames * width);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < x.cols(); ++j)
            x(i, j) = shared * of_row(i, j % width) + (1 - shared) * own(i, j) + 3;
    return x;
}

TEST(FindFrames, sees_pieces_whose_features_go_together) {
    EXPECT_EQ(find_frames(pieces(200, 10, 16, 0.6f)), 10u);
    EXPECT_EQ(find_frames(pieces(200, 2, 24, 0.6f)), 2u);
    EXPECT_EQ(find_frames(pieces(200, 10, 16, 0.1f)), 1u) << "hardly go together";
    EXPECT_EQ(find_frames(normals(200, 160, 3)), 1u);
    EXPECT_EQ(find_frames(pieces(200, 10, 4, 0.6f)), 5u) << "four features are no piece, eight are";
    EXPECT_EQ(find_frames(Matrix(50, 64)), 1u) << "nothing varies";
    EXPECT_EQ(find_frames(normals(1, 64, 3)), 1u);
    EXPECT_EQ(find_frames(normals(20, 1, 3)), 1u);
}

TEST(FeatureMap, random_features_of_pieces_are_their_mean) {
    const Matrix rows = pieces(300, 5, 12, 0.5f);  // more rows than are mapped at once
    const FeatureMap map = FeatureMap::random(rows, 30, Rng(3), 5);
    ASSERT_EQ(map.inputs(), 60u);
    ASSERT_EQ(map.piece(), 12u);
    ASSERT_EQ(map.outputs(), 30u);
    const Matrix seen = map(rows), weights = map.weights();
    for (const std::size_t i : {0u, 7u, 299u})
        for (std::size_t k = 0; k < 30; ++k) {
            double mean = 0;
            for (std::size_t f = 0; f < 5; ++f) {
                auto sum = static_cast<double>(map.bias()(0, k));
                for (std::size_t j = 0; j < 12; ++j)
                    sum += static_cast<double>(weights(k, j)) *
                           static_cast<double>(rows(i, 12 * f + j) - map.given_center()(0, j));
                mean += std::max(0.0, sum) / 5;
            }
            EXPECT_NEAR(seen(i, k),
                        (mean - static_cast<double>(map.center()(0, k))) * static_cast<double>(map.scale()),
                        1e-3);
        }
    State state;
    map.save(state);
    const Matrix again = FeatureMap::load(state, 60)(rows);
    EXPECT_TRUE(std::equal(seen.data(), seen.data() + seen.size(), again.data()));
    EXPECT_THROW(FeatureMap::load(state, 61), Error) << "not a whole number of pieces";
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

TEST(FeatureMap, centers_scales_and_takes_roots) {
    Matrix rows(4, 2);
    for (std::size_t i = 0; i < 4; ++i) rows(i, 0) = static_cast<float>(i * i), rows(i, 1) = -4;
    const FeatureMap map(rows, true);
    const Matrix seen = map(rows);
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += static_cast<double>(seen(i, 0));
    EXPECT_NEAR(sum, 0, 1e-5);
    EXPECT_NEAR(seen(3, 0) - seen(2, 0), seen(1, 0) - seen(0, 0), 1e-5)
        << "roots of squares are evenly spaced";
    EXPECT_EQ(seen(0, 1), 0) << "a feature that never changes";
}

TEST(FeatureMap, random_features_are_rectified_sums_of_centered_rows) {
    for (const std::size_t width : {std::size_t{5}, FeatureMap::kMany}) {
        Examples rows = test::blobs(0, 3, 40, width, 1);
        for (std::size_t i = 0; i < rows.size(); ++i) rows.x(i, 2) *= 20;  // varies most
        const FeatureMap map = FeatureMap::random(rows.x, 40, Rng(3));
        ASSERT_EQ(map.inputs(), width);
        ASSERT_EQ(map.outputs(), 40u);
        const Matrix seen = map(rows.x), weights = map.weights(), bias = map.bias();
        std::size_t cut = 0;
        double along = 0, across = 0;
        for (std::size_t k = 0; k < 40; ++k) {
            double mean = 0;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                auto sum = static_cast<double>(bias(0, k));
                for (std::size_t j = 0; j < width; ++j)
                    sum += static_cast<double>(weights(k, j)) *
                           static_cast<double>(rows.x(i, j) - map.given_center()(0, j));
                cut += sum < 0;
                const double expected = (std::max(0.0, sum) - static_cast<double>(map.center()(0, k))) *
                                        static_cast<double>(map.scale());
                EXPECT_NEAR(seen(i, k), expected, 1e-3);
                mean += expected / static_cast<double>(rows.size());
            }
            EXPECT_NEAR(mean, 0, 1e-3);
            along += std::abs(static_cast<double>(weights(k, 2)));
            across += std::abs(static_cast<double>(weights(k, 3)));
        }
        EXPECT_GT(cut, rows.size()) << "otherwise they are not curved";
        EXPECT_EQ(along > 5 * across, width >= FeatureMap::kMany)
            << "drawn like the rows when there are many";
        State state;
        map.save(state);
        const Matrix again = FeatureMap::load(state, width)(rows.x);
        EXPECT_TRUE(std::equal(seen.data(), seen.data() + seen.size(), again.data()));
        EXPECT_THROW(FeatureMap::load(state, width + 1), Error);
        State bad = state;
        bad.values<Matrix>("map.random.center")(0, 7) = std::numeric_limits<float>::quiet_NaN();
        EXPECT_THROW(FeatureMap::load(bad, width), Error);
        for (const char* key : {"map.random.weights", "map.random.bias"}) {
            bad = state;
            bad.values<Matrix>(key)(0, 3) = std::numeric_limits<float>::infinity();
            EXPECT_THROW(FeatureMap::load(bad, width), Error) << key;
        }
        bad = state;
        bad.set("map.random.weights", Matrix(39, width), ArrayKind::statistics);
        EXPECT_THROW(FeatureMap::load(bad, width), Error);
    }
}

}  // namespace
}  // namespace fearnet
