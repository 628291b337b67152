// The parts of FearNetPlus against plain versions of their equations, and what sleep does.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "fearnet/learners/learner.hpp"
#include "learners/baselines/class_moments.hpp"
#include "learners/baselines/linear_readout.hpp"
#include "learners/fearnet_plus/choices.hpp"
#include "learners/fearnet_plus/class_shapes.hpp"
#include "learners/fearnet_plus/feature_map.hpp"
#include "learners/fearnet_plus/packed_symmetric.hpp"
#include "learners/fearnet_plus/posterior_means.hpp"
#include "math/excess_form.hpp"
#include "support/blobs.hpp"

namespace fearnet {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Matrix normals(std::size_t rows, std::size_t cols, std::uint64_t seed) {
    Matrix m(rows, cols);
    Rng(seed).fill_normal({m.data(), m.size()});
    return m;
}
Dense dense(MatrixView m) {
    Dense result(m.rows, m.cols);
    for (std::size_t i = 0; i < m.rows; ++i)
        for (std::size_t j = 0; j < m.cols; ++j) result(i, j) = static_cast<double>(m(i, j));
    return result;
}
Matrix matrix(const Dense& m) {
    Matrix result(static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols()));
    for (std::size_t i = 0; i < result.rows(); ++i)
        for (std::size_t j = 0; j < result.cols(); ++j) result(i, j) = static_cast<float>(m(i, j));
    return result;
}
Dense covariance(std::size_t k, std::uint64_t seed) {
    const Dense a = dense(normals(3 * k, k, seed));
    return a.transpose() * a / static_cast<double>(3 * k);
}
std::vector<float> packed(const Dense& m) {
    std::vector<float> result;
    for (Eigen::Index i = 0; i < m.rows(); ++i)
        for (Eigen::Index j = 0; j <= i; ++j) result.push_back(static_cast<float>(m(i, j)));
    return result;
}
std::vector<std::int32_t> columns_of(const Examples& e) {
    std::vector<std::int32_t> columns;
    for (const ClassId id : e.labels) columns.push_back(index_of(id));
    return columns;
}
double accuracy(const Learner& learner, const Examples& probe) {
    const std::vector<ClassId> answers = learner.predict(probe.x);
    double right = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) right += answers[i] == probe.labels[i];
    return right / static_cast<double>(answers.size());
}

TEST(PackedSymmetric, IsCloseAndPackingAgainChangesNothing) {
    const Matrix m = matrix(covariance(40, 1));
    const PackedSymmetric packed_once(m);
    const Matrix back = packed_once.unpacked();
    double worst = 0;
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = 0; j < 40; ++j) {
            EXPECT_EQ(back(i, j), back(j, i));
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
    for (const char* key : {"p.roots", "p.shares"}) {
        const Matrix &a = one.matrix(key), &b = two.matrix(key);
        ASSERT_EQ(a.size(), b.size());
        EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data())) << key;
    }
}

TEST(PackedSymmetric, KeepsADirectionWithoutVarianceAndRefusesWhatItCannotHold) {
    Matrix m(3, 3);
    m(0, 0) = 4, m(2, 2) = 1, m(0, 2) = m(2, 0) = -1;
    const Matrix back = PackedSymmetric(m).unpacked();
    EXPECT_EQ(back(1, 1), 0);
    EXPECT_EQ(back(0, 0), 4);
    EXPECT_NEAR(back(0, 2), -1, 1e-4);
    State state;
    PackedSymmetric(m).save(state, "p");
    EXPECT_THROW(PackedSymmetric::load(state, "p", 4), Error);
    state.matrices["p.shares"](0, 0) = 40000;
    EXPECT_THROW(PackedSymmetric::load(state, "p", 3), Error);
    state.matrices["p.shares"](0, 0) = 0.5f;
    EXPECT_THROW(PackedSymmetric::load(state, "p", 3), Error);
}

TEST(ClassMoments, RemovedRowsLeaveWhatTheOthersGive) {
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
    EXPECT_LT((dense(both.scatter) - dense(rest.scatter)).cwiseAbs().maxCoeff(), 1e-4);
    both.drop(1);
    EXPECT_EQ(both.counts, (std::vector<std::int64_t>{13, 20}));
    EXPECT_EQ(both.means(1, 0), rest.means(2, 0));
}

TEST(ExcessForm, IsTheDifferenceOfTwoGaussians) {
    constexpr int k = 5;
    const Dense shared = covariance(k, 2), own = covariance(k, 3);
    const double weight = 0.6;
    const Matrix factor = math::cholesky(matrix(shared));
    const Dense excess =
        own - 0.5 * shared;  // as if half of the shared one were the classes' mean covariance
    const math::ExcessForm made = math::excess_form(factor, packed(excess), weight);
    // Plainly: S in the coordinates where the shared covariance is the identity.
    const Dense l = shared.llt().matrixL(), e = l.inverse() * excess * l.inverse().transpose();
    Dense s = Dense::Identity(k, k) + weight * 0.5 * e;
    s.diagonal() += weight * 0.5 * e.diagonal();
    EXPECT_NEAR(made.log_determinant, std::log(s.determinant()), 1e-4);
    const Matrix rows = normals(10, k, 4);
    for (std::size_t i = 0; i < 10; ++i) {
        const Vector d = dense(rows.view().slice(i, 1)).row(0).transpose(), u = l.inverse() * d;
        const double expected = u.dot(s.inverse() * u) - u.dot(u);
        EXPECT_NEAR(math::quadratic(made.form.data(), rows.row(i), k), expected,
                    1e-3 * (1 + std::abs(expected)));
    }
    // No excess, no difference.
    const math::ExcessForm none = math::excess_form(factor, packed(Dense::Zero(k, k)), weight);
    EXPECT_NEAR(none.log_determinant, 0, 1e-9);
    EXPECT_NEAR(math::quadratic(none.form.data(), rows.row(0), k), 0, 1e-5);
}

TEST(PosteriorReadout, IsProbabilisticLdaForClassesOfOneSize) {
    const Examples data = test::blobs(0, 6, 12, 8, 1, 0.8);
    ClassMoments moments;
    moments.add(data.x, columns_of(data), 6, true);
    const double shrinkage = 0.2;
    const LinearReadout lda = lda_readout(moments, shrinkage), posterior = posterior_readout(moments, lda);
    // Plainly: whiten with the shared covariance, turn to the directions of the means, then Gaussians.
    Dense w = dense(moments.scatter) / 72;
    w += shrinkage * w.trace() / 8 * Dense::Identity(8, 8);
    const Dense l = w.llt().matrixL();
    const Dense means = dense(moments.means);
    const Eigen::RowVectorXd center = means.colwise().mean();
    const Dense z = (means.rowwise() - center) * l.inverse().transpose();
    const Eigen::JacobiSVD<Dense> svd(z, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Examples probe = test::blobs(0, 6, 5, 8, 7, 0.8);
    const Matrix scores = posterior.scores(probe.x);
    for (std::size_t i = 0; i < probe.size(); ++i) {
        const Vector a = svd.matrixV().transpose() * l.inverse() *
                         (dense(probe.x.view().slice(i, 1)).row(0) - center).transpose();
        std::vector<double> expected(6);
        for (int c = 0; c < 6; ++c)
            for (int r = 0; r < 5; ++r) {
                const double b = std::max(0.0, std::pow(svd.singularValues()(r), 2) / 5 - 1.0 / 12);
                const double g = 12 * b / (12 * b + 1), v = 1 + b / (12 * b + 1);
                const double mean = g * (z.row(c) * svd.matrixV().col(r)).value();
                expected[static_cast<std::size_t>(c)] -= 0.5 * std::pow(a(r) - mean, 2) / v;
            }
        for (std::size_t c = 1; c < 6; ++c)
            EXPECT_NEAR(scores(i, c) - scores(i, 0), expected[c] - expected[0],
                        2e-3 * (1 + std::abs(expected[c])));
    }
}

TEST(FeatureMap, CentersScalesAndTakesRoots) {
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

TEST(Choices, TakeTheBestAndOfEqualsTheMostCautious) {
    FearNetPlusOptions options;
    options.shrinkage = 0.5;
    Choices choices(options);
    ASSERT_EQ(choices.shrinkages(), std::vector<double>{0.5});
    EXPECT_EQ(choices.best().shrinkage, 0.5);
    std::vector<double> right(choices.priors().size(), 0.5);
    choices.add(right, 10);
    EXPECT_EQ(choices.best().prior, std::numeric_limits<double>::infinity());
    right[0] = 0.8;
    choices.add(right, 10);
    EXPECT_EQ(choices.best().prior, choices.priors()[0]);
    EXPECT_NEAR(choices.accuracy(), 0.65, 1e-12);
    State state;
    choices.save(state);
    Choices restored(options);
    restored.load(state);
    EXPECT_EQ(restored.best().prior, choices.best().prior);
    Choices others{FearNetPlusOptions{}};  // another number of candidates
    EXPECT_THROW(others.load(state), Error);
}

// Two classes around the same mean, one wide and one narrow: nothing that compares means can tell them apart.
Examples rings(std::size_t rows, std::uint64_t seed) {
    Examples e = test::blobs(0, 4, rows, 10, seed);
    Rng rng(seed + 100);
    Matrix more(2 * rows, 10);
    for (std::size_t i = 0; i < 2 * rows; ++i) {
        const double spread = i < rows ? 0.2 : 1.2;
        for (std::size_t j = 0; j < 10; ++j)
            more(i, j) =
                static_cast<float>((j == 0 ? 3 : 0) + (i < rows ? 0.0 : 0.3) + spread * rng.normal());
        e.labels.push_back(ClassId{i < rows ? 4 : 5});
    }
    const std::size_t first = e.x.rows();
    e.x.resize_rows(first + 2 * rows);
    std::copy_n(more.data(), more.size(), e.x.row(first));
    return e;
}

TEST(FearNetPlus, TellsClassesApartByTheirShape) {
    const Examples train = rings(60, 1), test = rings(40, 2);
    LearnerSpec spec;
    spec.learner = "fearnet-plus";
    const auto plus = make_learner(spec);
    spec.settings = {{"shapes.rank", "0"}};
    const auto without = make_learner(spec);
    plus->learn(train);
    without->learn(train);
    EXPECT_GT(accuracy(*plus, test), accuracy(*without, test) + 0.03);
}

TEST(FearNetPlus, SleepAddsDirectionsAndKeepsNoRow) {
    LearnerSpec spec;
    spec.learner = "fearnet-plus";
    const auto learner = make_learner(spec);
    learner->learn(test::blobs(0, 2, 30, 12, 1));
    EXPECT_EQ(learner->save().matrix("shapes.basis").rows(), 1u) << "two classes differ in one direction";
    for (std::size_t c = 2; c < 6; ++c) learner->learn(test::blobs(c, 1, 30, 12, 1 + c));
    EXPECT_EQ(learner->recent_classes().size(), 4u);
    EXPECT_EQ(learner->consolidated_classes().size(), 2u);
    EXPECT_GT(learner->memory()["examples"], 0u);
    const Examples probe = test::blobs(0, 6, 20, 12, 50);
    const double before = accuracy(*learner, probe);
    learner->sleep();
    EXPECT_EQ(learner->memory()["examples"], 0u);
    EXPECT_TRUE(learner->recent_classes().empty());
    EXPECT_EQ(learner->save().matrix("shapes.basis").rows(), 5u);
    EXPECT_GE(accuracy(*learner, probe), before);
}

std::unique_ptr<Learner> made(std::vector<std::pair<std::string, std::string>> settings = {}) {
    LearnerSpec spec;
    spec.learner = "fearnet-plus";
    spec.settings = std::move(settings);
    return make_learner(spec);
}

TEST(FearNetPlus, TellsTwoClassesOfOneRowEachApart) {
    const auto learner = made();
    const Examples one = test::blobs(0, 1, 1, 6, 1), other = test::blobs(1, 1, 1, 6, 2);
    learner->learn(one);
    learner->learn(other);
    EXPECT_EQ(learner->predict(one.x), one.labels);
    EXPECT_EQ(learner->predict(other.x), other.labels);
    learner->sleep();
    EXPECT_EQ(learner->predict(other.x), other.labels);
}

TEST(FearNetPlus, RefusesRowsWithoutAFiniteVarianceAndStaysAsItWas) {
    const auto learner = made();
    learner->learn(test::blobs(0, 3, 20, 6, 1));
    Examples huge = test::blobs(3, 1, 10, 6, 2);
    huge.x(4, 2) = 3e38f;
    EXPECT_THROW(learner->learn(huge), Error);
    EXPECT_EQ(learner->classes().size(), 3u);
    EXPECT_GT(accuracy(*learner, test::blobs(0, 3, 20, 6, 9)), 0.9);
}

TEST(FearNetPlus, SavedBetweenSleepsItAnswersAndSleepsTheSame) {
    const auto learner = made({{"shapes.prior", "20"}});
    learner->learn(test::blobs(0, 3, 30, 12, 1, 0.8));
    for (std::size_t c = 3; c < 7; ++c) {
        learner->learn(test::blobs(c, 1, 30, 12, 1 + c, 0.8));
        if (c == 4) learner->sleep();
    }
    learner->learn(
        test::blobs(1, 1, 15, 12, 40, 0.8));  // met again, with more directions than it has a shape in
    const auto copy = restore_learner(learner->save());
    const Examples probe = test::blobs(0, 7, 20, 12, 50, 0.8);
    for (int slept = 0; slept < 2; ++slept) {
        const Matrix a = learner->probabilities(probe.x), b = copy->probabilities(probe.x);
        EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data())) << slept;
        learner->sleep();
        copy->sleep();
    }
    EXPECT_GT(accuracy(*learner, probe), 0.8);
}

TEST(FearNetPlus, SleepsWhateverTheShrinkageWasAndIs) {
    for (const char* shrinkage : {"0.0001", "1", "100"})
        for (const char* prior : {"1e-20", "5"}) {
            const auto learner = made({{"readout.shrinkage", shrinkage}, {"shapes.prior", prior}});
            learner->learn(test::blobs(0, 2, 12, 16, 1));
            for (std::size_t c = 2; c < 8; ++c) {
                learner->learn(test::blobs(c, 1, 12, 16, 1 + c, c % 2 ? 0.1 : 1.0));
                if (c % 3 == 0) learner->sleep();
            }
            learner->sleep();
            EXPECT_GT(accuracy(*learner, test::blobs(0, 8, 10, 16, 60)), 0.7) << shrinkage << " " << prior;
        }
}

TEST(FearNetPlus, RefusesAStateWhoseNumbersContradictEachOther) {
    const auto learner = made();
    learner->learn(test::blobs(0, 3, 20, 6, 1));
    learner->learn(test::blobs(3, 1, 20, 6, 2));
    const State good = learner->save();
    const auto refused = [&](const std::string& key, std::size_t at, std::int64_t value) {
        State bad = good;
        bad.integers.at(key).at(at) = value;
        EXPECT_THROW(restore_learner(bad), Error) << key;
    };
    refused("seed", 1, 0);     // no session, but classes
    refused("counts", 3, 10);  // fewer rows than are recent
    refused("counts", 0, std::int64_t{1} << 62);
    refused("shapes.counts", 1, 0);
    refused("shapes.counts", 1, std::int64_t{1} << 62);
    refused("shapes.sizes", 2, -1);
    refused("shapes.sizes", 2, 2);
    refused("shapes.sizes", 2, 1000);
    refused("consolidated", 0, 7);
    State nothing = made()->save();
    nothing.integers.at("seed").at(1) = 5;  // five sessions of nothing
    EXPECT_THROW(restore_learner(nothing), Error);
}

TEST(FearNetPlus, LearnsOnAfterAClassIsForgotten) {
    const auto learner = made();
    learner->learn(test::blobs(0, 4, 30, 10, 1));
    learner->learn(test::blobs(4, 1, 30, 10, 2));
    learner->forget(ClassId{4});  // the only recent one
    EXPECT_TRUE(learner->recent_classes().empty());
    learner->sleep();
    learner->forget(ClassId{1});
    learner->learn(test::blobs(5, 1, 30, 10, 3));
    learner->sleep();
    EXPECT_EQ(learner->classes().size(), 4u);
    const Examples probe = test::blobs(5, 1, 30, 10, 9);
    EXPECT_GT(accuracy(*learner, probe), 0.9);
}

}  // namespace
}  // namespace fearnet
