// The closed-form learners against plain versions of their equations, in double and without any shortcut.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "core/learners/kit/held_out.hpp"
#include "core/learners/kit/linear_readout.hpp"
#include "core/math/distances.hpp"
#include "core/math/solve.hpp"
#include "fearnet/registry.hpp"
#include "lab/baselines/low_rank_gaussian.hpp"
#include "support/blobs.hpp"
#include "support/data_files.hpp"
#include "support/dense.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

using test::columns_of;
using test::dense;
using test::Dense;
using test::normals;
using test::symmetric;
using Vector = Eigen::VectorXd;
using Settings = std::vector<std::pair<std::string, std::string>>;

Examples some_rows(const Examples& e, std::span<const std::size_t> rows) {
    Examples result;
    result.x = Matrix(rows.size(), e.x.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::copy_n(e.x.row(rows[i]), e.x.cols(), result.x.row(i));
        result.labels.push_back(e.labels[rows[i]]);
    }
    return result;
}

// Means and the scatter around them, in two passes.
struct PlainMoments {
    Dense means, scatter;
    Vector counts;
    PlainMoments(const Examples& e, std::size_t classes) {
        const Dense x = dense(e.x);
        means = Dense::Zero(static_cast<Eigen::Index>(classes), x.cols());
        counts = Vector::Zero(static_cast<Eigen::Index>(classes));
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            const auto c = index_of(e.labels[static_cast<std::size_t>(i)]);
            means.row(c) += x.row(i), counts(c) += 1;
        }
        for (Eigen::Index c = 0; c < means.rows(); ++c) means.row(c) /= counts(c);
        scatter = Dense::Zero(x.cols(), x.cols());
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            const Vector off =
                (x.row(i) - means.row(index_of(e.labels[static_cast<std::size_t>(i)]))).transpose();
            scatter += off * off.transpose();
        }
    }
};

constexpr std::size_t kClasses = 6, kWidth = 10;
// Overlapping classes of different sizes.
Examples uneven() {
    const Examples all = test::blobs(0, kClasses, 20, kWidth, 4, 0.8);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 20 < 8 + 2 * (i / 20)) rows.push_back(i);
    return some_rows(all, rows);
}

ClassMoments moments_of(const Examples& e) {
    ClassMoments m;
    m.add(e.x, columns_of(e), kClasses, true);
    return m;
}

TEST(NearestDistances, by_group_are_those_of_each_group_alone) {
    const Matrix x = normals(300, kWidth, 50), u = normals(2500, kWidth, 51);
    std::vector<float> norms;
    for (std::size_t j = 0; j < u.rows(); ++j) norms.push_back(math::squared_norm(u.row(j), kWidth));
    // The first group comes twice; one lies across the blocks of the product; the last column has none.
    const std::vector<math::RowGroup> groups{{0, 0, 40}, {1, 40, 41}, {2, 41, 2300}, {0, 2300, 2500}};
    for (const std::size_t rows : {std::size_t{1}, x.rows()}) {
        Matrix found(rows, 4);
        math::nearest_squared_distances(x.view().slice(0, rows), u, norms, groups, found);
        for (std::size_t i = 0; i < rows; ++i) {
            float nearest[4];
            std::fill_n(nearest, 4, std::numeric_limits<float>::infinity());
            for (const math::RowGroup& g : groups)
                for (std::size_t j = g.begin; j < g.end; ++j)
                    nearest[g.group] =
                        std::min(nearest[g.group], math::squared_distance(x.row(i), u.row(j), kWidth));
            for (std::size_t g = 0; g < 4; ++g) EXPECT_EQ(found(i, g), nearest[g]);
        }
    }
}

TEST(CompressedFactor, keeps_the_product_and_reports_what_it_leaves_out) {
    for (const auto& [rows, cols] : {std::pair<std::size_t, std::size_t>{5, 12}, {30, 12}}) {
        const Matrix r = normals(rows, cols, 3);
        const Dense whole = dense(r).transpose() * dense(r);
        double left_out = -1;
        const Matrix all = math::compressed_factor(r, 0, left_out);
        EXPECT_LT((dense(all).transpose() * dense(all) - whole).cwiseAbs().maxCoeff(), 1e-4);
        EXPECT_NEAR(left_out, 0, 1e-4);
        const Matrix some = math::compressed_factor(r, 3, left_out);
        ASSERT_EQ(some.rows(), 3u);
        EXPECT_NEAR(dense(some).squaredNorm() + left_out, whole.trace(), 1e-3);
        const Vector values = Eigen::SelfAdjointEigenSolver<Dense>(whole).eigenvalues();
        EXPECT_NEAR(dense(some).squaredNorm(), values.tail(3).sum(), 1e-3);
    }
}

TEST(ClassMoments, are_the_same_for_any_order_and_portions_of_the_rows) {
    const Examples e = uneven();
    const PlainMoments plain(e, kClasses);
    std::vector<std::size_t> order(e.size());
    std::iota(order.begin(), order.end(), 0u);
    for (const std::size_t portion : {std::size_t{1}, std::size_t{7}, e.size()}) {
        Rng(portion).shuffle(std::span(order));
        ClassMoments m;
        for (std::size_t first = 0; first < order.size(); first += portion) {
            const auto part = std::span(order).subspan(first, std::min(portion, order.size() - first));
            const Examples rows = some_rows(e, part);
            m.add(rows.x, columns_of(rows), kClasses, true);
        }
        EXPECT_LT((dense(m.means) - plain.means).cwiseAbs().maxCoeff(), 1e-6) << portion;
        EXPECT_LT((symmetric(m.scatter) - plain.scatter).cwiseAbs().maxCoeff(), 1e-5) << portion;
        for (std::size_t c = 0; c < kClasses; ++c) EXPECT_EQ(m.counts[c], plain.counts(static_cast<int>(c)));
    }
}

TEST(Readouts, lda_is_the_nearest_mean_under_the_shrunk_covariance) {
    const Examples e = uneven();
    const PlainMoments plain(e, kClasses);
    const double n = static_cast<double>(e.size()), shrinkage = 0.3;
    const Dense s =
        plain.scatter / n + shrinkage * plain.scatter.trace() / n / kWidth * Dense::Identity(kWidth, kWidth);
    const Dense inverse = s.inverse();
    const Matrix probe = normals(20, kWidth, 8);
    const Dense scores = dense(lda_readout(moments_of(e), shrinkage).scores(probe));
    for (Eigen::Index i = 0; i < 20; ++i) {
        const Vector x = dense(probe).row(i).transpose();
        for (Eigen::Index c = 0; c < static_cast<Eigen::Index>(kClasses); ++c) {
            const Vector off = x - plain.means.row(c).transpose();
            // The term of x alone, which all classes share, is not in the scores.
            EXPECT_NEAR(scores(i, c) - 0.5 * x.dot(inverse * x), -0.5 * off.dot(inverse * off), 2e-3);
        }
    }
}

TEST(Readouts, ridge_solves_the_normal_equations) {
    const Examples e = uneven();
    Dense x = dense(e.x), y = Dense::Zero(x.rows(), kClasses);
    for (Eigen::Index i = 0; i < x.rows(); ++i) y(i, index_of(e.labels[static_cast<std::size_t>(i)])) = 1;
    const Matrix probe = normals(20, kWidth, 8);
    for (const bool intercept : {false, true}) {
        const Eigen::RowVectorXd center =
            intercept ? Eigen::RowVectorXd(x.colwise().mean()) : Eigen::RowVectorXd::Zero(kWidth);
        const Eigen::RowVectorXd level =
            intercept ? Eigen::RowVectorXd(y.colwise().mean()) : Eigen::RowVectorXd::Zero(kClasses);
        const Dense xc = x.rowwise() - center, yc = y.rowwise() - level, gram = xc.transpose() * xc;
        const double lambda = 0.2 * gram.trace() / kWidth;
        const Dense w = (gram + lambda * Dense::Identity(kWidth, kWidth)).ldlt().solve(xc.transpose() * yc);
        const Dense expected = ((dense(probe).rowwise() - center) * w).rowwise() + level;
        const Dense found = dense(ridge_readout(moments_of(e), 0.2, intercept).scores(probe));
        EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-4) << "intercept: " << intercept;
    }
}

// FeCAM's matrix written out.
Dense shrunk_matrix(Dense c, const CovarianceShrinkage& o) {
    const double d = static_cast<double>(c.rows()), variance = c.trace() / d;
    const double covariance = d > 1 ? (c.sum() - c.trace()) / (d * (d - 1)) : 0;
    const double a = o.gamma1 * variance, b = std::clamp(o.gamma2 * covariance, 0.0, 0.99 * a);
    for (Eigen::Index i = 0; i < c.rows(); ++i)
        for (Eigen::Index j = 0; j < c.cols(); ++j) c(i, j) += i == j ? a : b;
    if (!o.correlation) return c;
    const Vector deviation = c.diagonal().cwiseSqrt();
    return deviation.cwiseInverse().asDiagonal() * c * deviation.cwiseInverse().asDiagonal();
}

std::vector<double> distances(const LowRankCovariance& c, const CovarianceShrinkage& o, const Matrix& x) {
    std::vector<double> out(x.rows());
    Matrix work, projected;
    MahalanobisDistance(c, o)(x, out, work, projected);
    return out;
}

TEST(MahalanobisDistance, agrees_with_the_inverse_of_the_whole_matrix) {
    const Matrix probe = normals(15, kWidth, 9);
    for (const std::size_t n : {std::size_t{1}, std::size_t{4}, std::size_t{60}})
        for (const bool correlation : {false, true})
            for (const double gamma2 : {0.0, 1.0, 50.0}) {
                Matrix rows = normals(n, kWidth, 20 + n);
                for (std::size_t i = 0; i < rows.rows();
                     ++i)  // some correlation, so that the mean one is not nil
                    for (std::size_t j = 1; j < kWidth; ++j) rows(i, j) += 0.7f * rows(i, 0);
                const CovarianceShrinkage o{0.5, gamma2, correlation};
                const Dense x = dense(rows), xc = x.rowwise() - x.colwise().mean();
                const Dense c = n > 1 ? Dense(xc.transpose() * xc / static_cast<double>(n - 1))
                                      : Dense::Zero(kWidth, kWidth);
                const Dense inverse =
                    n > 1 ? Dense(shrunk_matrix(c, o).inverse()) : Dense::Identity(kWidth, kWidth);
                const auto found = distances(low_rank_covariance(rows, 0), o, probe);
                for (std::size_t i = 0; i < found.size(); ++i) {
                    const Vector off =
                        (dense(probe).row(static_cast<int>(i)) - x.colwise().mean()).transpose();
                    const double expected = off.dot(inverse * off);
                    EXPECT_NEAR(found[i], expected, 1e-3 * (1 + expected))
                        << n << " " << correlation << " " << gamma2;
                }
            }
}

TEST(LowRankCovariance, merged_is_that_of_all_rows_and_a_cap_keeps_the_total_variance) {
    const Matrix rows = normals(40, kWidth, 31);
    const LowRankCovariance whole = low_rank_covariance(rows, 0);
    const LowRankCovariance both = merged(low_rank_covariance(rows.view().slice(0, 1), 0),
                                          low_rank_covariance(rows.view().slice(1, 39), 0), 0);
    EXPECT_EQ(both.count, 40);
    EXPECT_LT((dense(both.mean) - dense(whole.mean)).cwiseAbs().maxCoeff(), 1e-6);
    const auto product = [](const LowRankCovariance& c) {
        return Dense(dense(c.factor).transpose() * dense(c.factor) +
                     c.rest * Dense::Identity(kWidth, kWidth));
    };
    EXPECT_LT((product(both) - product(whole)).cwiseAbs().maxCoeff(), 1e-5);
    const LowRankCovariance capped = low_rank_covariance(rows, 3);
    EXPECT_EQ(capped.factor.rows(), 3u);
    EXPECT_NEAR(product(capped).trace(), product(whole).trace(), 1e-4);
}

TEST(HoldOut, takes_every_fifth_row_of_each_class) {
    const std::vector<std::int32_t> columns{0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};  // class 0 has 10 rows
    const HeldOutSplit split = hold_out(columns, 2);
    EXPECT_EQ(split.held, (std::vector<std::size_t>{5, 11}));
    EXPECT_EQ(split.fit.size() + split.held.size(), columns.size());
}

std::unique_ptr<Learner> make(const std::string& name, Settings settings = {}) {
    LearnerSpec spec;
    spec.learner = name;
    spec.settings = std::move(settings);
    return make_learner(spec);
}

TEST(NearestNeighbor, answers_like_the_plain_loop_and_equal_distances_go_to_the_smallest_class_id) {
    const Examples e = uneven(), probe = test::blobs(0, kClasses, 10, kWidth, 5, 0.8);
    auto learner = make("nearest-neighbor");
    learner->learn(e);
    const auto answers = learner->predict(probe.x);
    for (std::size_t i = 0; i < probe.size(); ++i) {
        const Dense off = dense(e.x).rowwise() - dense(probe.x).row(static_cast<int>(i));
        Eigen::Index nearest = 0;
        off.rowwise().squaredNorm().minCoeff(&nearest);
        EXPECT_EQ(answers[i], e.labels[static_cast<std::size_t>(nearest)]);
    }
    Matrix same(2, 3);
    const std::vector<ClassId> labels{ClassId{7}, ClassId{2}};
    auto tied = make("nearest-neighbor");
    tied->learn({same, labels});
    EXPECT_EQ(tied->predict(same), (std::vector<ClassId>{ClassId{2}, ClassId{2}}));
}

TEST(StreamingLda, answers_the_same_whatever_the_order_of_its_sessions) {
    const Examples e = uneven(), probe = test::blobs(0, kClasses, 30, kWidth, 6, 0.8);
    std::vector<std::vector<ClassId>> answers;
    for (const bool backwards : {false, true}) {
        auto learner = make("streaming-lda", {{"lda.shrinkage", "0.1"}});
        std::vector<std::size_t> order(e.size());
        std::iota(order.begin(), order.end(), 0u);
        if (backwards) std::reverse(order.begin(), order.end());
        for (std::size_t first = 0; first < order.size(); first += 9)
            learner->learn(some_rows(
                e, std::span(order).subspan(first, std::min<std::size_t>(9, order.size() - first))));
        answers.push_back(learner->predict(probe.x));
    }
    EXPECT_EQ(answers[0], answers[1]);
}

TEST(StreamingLda, chooses_a_strong_shrinkage_where_rows_are_few_and_a_weak_one_where_there_are_many) {
    // Four classes that differ by `signal` in one feature each; `shared` times a common noise is added to
    // all.
    const auto chosen = [](std::size_t rows, std::size_t width, float signal, float shared) {
        Examples e;
        e.x = normals(4 * rows, width, 40);
        for (std::size_t i = 0; i < e.x.rows(); ++i) {
            for (std::size_t j = 1; j < width; ++j) e.x(i, j) += shared * e.x(i, 0);
            e.x(i, 1 + i % 4) += signal;
            e.labels.push_back(static_cast<ClassId>(i % 4));
        }
        auto learner = make("streaming-lda");
        learner->learn(e);
        return learner->save().number("strength");
    };
    EXPECT_LE(chosen(400, 8, 3, 4), 0.1);   // the covariance tells the common noise from the signal
    EXPECT_GE(chosen(40, 150, 2, 0), 1.0);  // there is none, and too few rows to see that
}

TEST(RanPac, is_ridge_on_its_random_features) {
    constexpr std::size_t kSize = 64;
    const Examples e = uneven(), probe = test::blobs(0, kClasses, 10, kWidth, 5, 0.8);
    Matrix projection(kWidth, kSize);
    Rng rng = Rng(1).fork(2);
    rng.fill_normal({projection.data(), projection.size()});
    const auto mapped = [&](const Examples& from) {
        const Dense product = (dense(from.x) * dense(projection)).cwiseMax(0);
        Examples to{Matrix(from.size(), kSize), from.labels};
        for (std::size_t i = 0; i < from.size(); ++i)
            for (std::size_t j = 0; j < kSize; ++j) to.x(i, j) = static_cast<float>(product(i, j));
        return to;
    };
    auto ranpac =
        make("ranpac", {{"ranpac.size", "64"}, {"ridge.lambda", "0.05"}, {"ridge.intercept", "false"}});
    auto ridge = make("ridge", {{"ridge.lambda", "0.05"}, {"ridge.intercept", "false"}});
    ranpac->learn(e), ridge->learn(mapped(e));
    EXPECT_EQ(ranpac->predict(probe.x), ridge->predict(mapped(probe).x));
}

// Classes that differ by small steps in the directions in which all vary most need little shrinkage, those of
// few rows in many directions much.
TEST(FeCam, chooses_its_shrinkage_in_the_base_session_and_keeps_it) {
    const auto accuracy = [](const std::unique_ptr<Learner>& learner, const Examples& probe) {
        const std::vector<ClassId> answers = learner->predict(probe.x);
        return std::inner_product(answers.begin(), answers.end(), probe.labels.begin(), 0, std::plus<>(),
                                  std::equal_to<>());
    };
    const Examples few = test::blobs(0, 8, 6, 60, 1, 2.5), probe = test::blobs(0, 8, 40, 60, 9, 2.5);
    const auto taught = [&](Settings settings) {
        auto learner = make("fecam", std::move(settings));
        learner->learn(few);
        return accuracy(learner, probe);
    };
    const int weak = taught({{"fecam.gamma1", "0.3"}}), strong = taught({{"fecam.gamma1", "300"}});
    EXPECT_GE(taught({}), std::max(weak, strong) - 5);
    ASSERT_NE(weak, strong) << "else nothing is shown";
    auto chosen = make("fecam");
    chosen->learn(few);
    const State before = chosen->save();
    chosen->learn(test::blobs(8, 1, 6, 60, 2, 2.5));
    EXPECT_EQ(chosen->save().number("gamma"), before.number("gamma"));
    State broken = before;
    broken.set("gamma", 0.0);
    test::expect_error([&] { restore_learner(broken); }, {"State: ", "gamma"});
}

// The product of two rows' features is their Gaussian kernel, up to chance, so distances to class means in a
// large kernel space tell rings around each other apart, which no linear read-out of the rows can.
TEST(FourierLda, separates_rings_that_no_line_separates) {
    Rng rng(3);
    Examples rings{Matrix(400, 2), {}};
    for (std::size_t i = 0; i < 400; ++i) {
        const double radius = i % 2 == 0 ? 1 : 2, angle = 6.2831853 * rng.uniform();
        rings.x(i, 0) = static_cast<float>(radius * std::cos(angle));
        rings.x(i, 1) = static_cast<float>(radius * std::sin(angle));
        rings.labels.push_back(static_cast<ClassId>(i % 2));
    }
    const auto right = [&](const std::unique_ptr<Learner>& learner) {
        learner->learn(rings);
        const std::vector<ClassId> answers = learner->predict(rings.x);
        return std::inner_product(answers.begin(), answers.end(), rings.labels.begin(), 0, std::plus<>(),
                                  std::equal_to<>());
    };
    EXPECT_GT(right(make("fourier-lda", {{"fourier.size", "300"}, {"fourier.bandwidth", "0.5"}})), 395);
    EXPECT_LT(right(make("streaming-lda", {})), 280);
}

// Twice the scale of all features changes nothing: the kernel's width follows the rows.
TEST(FourierLda, does_not_depend_on_the_scale_of_the_rows) {
    const Examples e = uneven(), probe = test::blobs(0, kClasses, 10, kWidth, 5, 0.8);
    Examples large = e, large_probe = probe;
    for (Examples* x : {&large, &large_probe})
        for (std::size_t i = 0; i < x->x.size(); ++i) x->x.data()[i] *= 2;
    auto one = make("fourier-lda", {{"fourier.size", "64"}}),
         two = make("fourier-lda", {{"fourier.size", "64"}});
    one->learn(e), two->learn(large);
    EXPECT_EQ(one->predict(probe.x), two->predict(large_probe.x));
}

}  // namespace
}  // namespace fearnet
