// The linear discriminant of FearNetPlus against plain versions of its equations.
#include <gtest/gtest.h>

#include <cmath>

#include "core/learners/kit/linear_readout.hpp"
#include "core/learners/plus/linear_discriminant.hpp"
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
        const Dense shrink = g * (g + noise).inverse();
        shrunken = dof > 0 ? Dense(shrink * z) : z;
        squared = (shrunken * inverse * shrunken.transpose()).diagonal();
        // A mean of n rows has the noise dof / n, half of what it is shrunken by.
        if (dof > 0) squared -= (shrink * (noise / 2) * shrink.transpose()).diagonal();
        squared = squared.cwiseMax(0);
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
            Dense means = Dense::Zero(7, 12);
            for (int c = 0; c < 7; ++c) {
                int count = 0;
                for (std::size_t k = 0; k < their_columns.size(); ++k)
                    if (their_columns[k] == c)
                        means.row(c) += others.row(static_cast<Eigen::Index>(k)), ++count;
                means.row(c) /= count;
            }
            const PlainDiscriminant plain(others, their_columns, 7, 200, covariance.ridge(),
                                          means.colwise().mean(), covariance.effective_dof());
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

}  // namespace
}  // namespace fearnet
