// AnaCP, LR-RGDA and calibrated FeCAM against plain versions of their equations, in double and without any
// shortcut.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "fearnet/registry.hpp"
#include "lab/baselines/anacp.hpp"
#include "lab/baselines/low_rank_gaussian.hpp"
#include "support/accuracy.hpp"
#include "support/blobs.hpp"
#include "support/data_files.hpp"
#include "support/dense.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

using test::dense;
using test::Dense;
using test::matrix;
using test::normals;
using Vector = Eigen::VectorXd;
using Settings = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kClasses = 5, kWidth = 8, kRows = 12;
constexpr double kSpread = 0.7;  // the blobs overlap

Examples overlapping(std::size_t first, std::size_t classes, std::uint64_t seed, std::size_t rows = kRows) {
    return test::blobs(first, classes, rows, kWidth, seed, kSpread);
}

std::unique_ptr<Learner> make(const std::string& name, Settings settings = {}) {
    LearnerSpec spec;
    spec.learner = name;
    spec.settings = std::move(settings);
    return make_learner(spec);
}

Dense rows_of(const Examples& e, std::size_t c) {
    std::vector<Eigen::Index> chosen;
    for (std::size_t i = 0; i < e.size(); ++i)
        if (static_cast<std::size_t>(index_of(e.labels[i])) == c) chosen.push_back(static_cast<int>(i));
    return dense(e.x)(chosen, Eigen::all);
}

Dense scatter_of(const Dense& rows) {
    const Dense off = rows.rowwise() - rows.colwise().mean();
    return off.transpose() * off;
}

// The part of a symmetric matrix in its directions of the largest eigenvalues.
Dense leading(const Dense& c, Eigen::Index rank) {
    const Eigen::SelfAdjointEigenSolver<Dense> solver(c);
    const Dense v = solver.eigenvectors().rightCols(rank);
    return v * solver.eigenvalues().tail(rank).asDiagonal() * v.transpose();
}

// The scores without what all classes have in common.
Dense centered(const Dense& scores) {
    return scores.colwise() - scores.rowwise().mean();
}

TEST(LrRgda, scores_are_gaussian_log_likelihoods_up_to_a_common_term) {
    const Examples e = overlapping(0, kClasses, 1);
    const Matrix probe = normals(10, kWidth, 2);
    for (const Eigen::Index rank : {2, 8}) {
        auto learner = make("lr-rgda", {{"rgda.class", "0.4"},
                                        {"rgda.shared", "0.5"},
                                        {"rgda.identity", "0.2"},
                                        {"rgda.rank", std::to_string(rank)}});
        learner->learn(e);
        Dense shared = Dense::Zero(kWidth, kWidth);
        for (std::size_t c = 0; c < kClasses; ++c)
            shared += scatter_of(rows_of(e, c)) / static_cast<double>(e.size());
        const Dense a = 0.5 * shared + 0.2 * shared.trace() / kWidth * Dense::Identity(kWidth, kWidth);
        Dense expected(10, kClasses);
        for (std::size_t c = 0; c < kClasses; ++c) {
            const Dense rows = rows_of(e, c);
            const Dense s = a + 0.4 * leading(scatter_of(rows) / (kRows - 1.0), rank);
            const Dense off = dense(probe).rowwise() - rows.colwise().mean();
            const Vector distance = (off * s.inverse()).cwiseProduct(off).rowwise().sum();
            expected.col(static_cast<int>(c)) =
                (-0.5 * distance.array() - 0.5 * std::log(s.determinant())).matrix();
        }
        const Dense found = centered(dense(learner->scores(probe)));
        EXPECT_LT((found - centered(expected)).cwiseAbs().maxCoeff(), 2e-3 * expected.cwiseAbs().maxCoeff())
            << rank;
    }
}

TEST(LrRgda, answers_the_same_whatever_the_order_of_its_sessions) {
    const Examples e = overlapping(0, kClasses, 1), probe = overlapping(0, kClasses, 3, 40);
    std::vector<std::vector<ClassId>> answers;
    for (const bool backwards : {false, true}) {
        auto learner = make("lr-rgda", {{"rgda.class", "0.3"}, {"rgda.identity", "0.1"}});
        for (std::size_t part = 0; part < e.size() / 6; ++part) {  // half a class at a time
            const std::size_t first = 6 * (backwards ? e.size() / 6 - 1 - part : part);
            learner->learn({e.x.view().slice(first, 6), std::span(e.labels).subspan(first, 6)});
        }
        answers.push_back(learner->predict(probe.x));
    }
    EXPECT_EQ(answers[0], answers[1]);
}

// Classes with one mean that differ in the direction of their variance only.
TEST(LrRgda, chooses_a_large_class_weight_where_classes_differ_in_covariance_only) {
    const auto crossed = [](std::uint64_t seed) {
        Examples e{normals(400, 6, seed), {}};
        for (std::size_t i = 0; i < 400; ++i) {
            e.x(i, i % 2) *= 8;
            e.labels.push_back(static_cast<ClassId>(i % 2));
        }
        return e;
    };
    auto learner = make("lr-rgda");
    learner->learn(crossed(1));
    EXPECT_EQ(learner->save().number("own"), 1);
    EXPECT_GT(test::accuracy(*learner, crossed(2)), 0.85);
    auto lda = make("streaming-lda");
    lda->learn(crossed(1));
    EXPECT_LT(test::accuracy(*lda, crossed(2)), 0.65);
    const double identity = learner->save().number("identity");
    learner->learn(test::blobs(2, 1, 10, 6, 1));
    EXPECT_EQ(learner->save().number("identity"), identity) << "chosen in the base session only";
}

TEST(CalibratedFeCam, adds_the_covariances_of_similar_base_classes_by_the_softmax_of_their_cosines) {
    const Examples base = overlapping(0, kClasses, 1), next = overlapping(kClasses, 1, 2);
    const Matrix probe = normals(10, kWidth, 3);
    const Dense rows = rows_of(next, kClasses);
    const Vector mean = rows.colwise().mean().transpose();
    for (const std::size_t neighbors : {std::size_t{2}, std::size_t{100}}) {
        auto learner = make("fecam", {{"fecam.gamma1", "0.5"},
                                      {"fecam.power", "1"},
                                      {"fecam.correlation", "false"},
                                      {"fecam.neighbors", std::to_string(neighbors)}});
        learner->learn(base);
        const Dense before = dense(learner->scores(probe));
        learner->learn(next);
        std::vector<std::pair<double, std::size_t>> nearest;
        for (std::size_t c = 0; c < kClasses; ++c) {
            const Vector m = rows_of(base, c).colwise().mean().transpose();
            nearest.emplace_back(-m.dot(mean) / m.norm() / mean.norm(), c);
        }
        std::sort(nearest.begin(), nearest.end());
        nearest.resize(std::min(neighbors, kClasses));
        double sum = 0;
        for (const auto& [cosine, c] : nearest) sum += std::exp(-16 * cosine);
        Dense s = scatter_of(rows) / (kRows - 1.0);
        for (const auto& [cosine, c] : nearest)
            s += std::exp(-16 * cosine) / sum * scatter_of(rows_of(base, c)) / (kRows - 1.0);
        s += 0.5 * s.trace() / kWidth * Dense::Identity(kWidth, kWidth);
        const Dense off = dense(probe).rowwise() - mean.transpose();
        const Vector expected = -0.5 * (off * s.inverse()).cwiseProduct(off).rowwise().sum();
        const Dense found = dense(learner->scores(probe));
        EXPECT_LT((found.col(kClasses) - expected).cwiseAbs().maxCoeff(),
                  1e-3 * expected.cwiseAbs().maxCoeff())
            << neighbors;
        EXPECT_EQ(found.leftCols(kClasses), before) << "base classes are not calibrated";
    }
}

TEST(CalibratedFeCam, follows_a_base_class_that_is_taught_again) {
    auto learner = make("fecam", {{"fecam.gamma1", "0.5"}, {"fecam.neighbors", "1"}});
    learner->learn(overlapping(0, 1, 1));
    learner->learn(overlapping(1, 1, 2));
    const Matrix probe = normals(5, kWidth, 3);
    const Dense before = dense(learner->scores(probe));
    learner->learn(overlapping(0, 1, 4));
    const Dense after = dense(learner->scores(probe));
    EXPECT_GT((after.col(1) - before.col(1)).cwiseAbs().minCoeff(), 0);
    EXPECT_EQ(dense(restore_learner(learner->save())->scores(probe)), after);
    State damaged = learner->save();
    damaged.set("base", std::vector<std::int64_t>{3});
    test::expect_error([&] { restore_learner(damaged); }, {"State: 'base' is 3", "2 classes"});
}

TEST(CalibratedCovariance, of_many_rows_keeps_the_leading_directions_and_the_total_variance) {
    constexpr std::size_t kDirections = 1200, kFeatures = 60;
    const auto covariance = [](std::size_t rows, std::uint64_t seed) {
        Matrix m = normals(rows, kFeatures, seed);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < 3; ++j) m(i, j) *= 20;
        LowRankCovariance c;
        c.count = static_cast<std::int64_t>(rows), c.mean = Matrix(1, kFeatures), c.factor = std::move(m);
        c.rest = 0.5;
        return c;
    };
    const LowRankCovariance own = covariance(10, 1), other = covariance(kDirections, 2);
    const WeightedCovariance weighted{&other, 0.25};
    const LowRankCovariance found = calibrated(own, {&weighted, 1}, 3);
    const Dense whole = dense(own.factor).transpose() * dense(own.factor) +
                        0.25 * dense(other.factor).transpose() * dense(other.factor);
    const Dense kept = dense(found.factor).transpose() * dense(found.factor);
    EXPECT_LT((kept - leading(whole, 3)).cwiseAbs().maxCoeff(), 1e-2 * whole.cwiseAbs().maxCoeff());
    EXPECT_NEAR(kept.trace() + kFeatures * (found.rest - 0.5 - 0.125), whole.trace(), 1e-3 * whole.trace());
}

// S^-1/2 (M - c) has its singular values increased by one, as the paper and its code have it.
TEST(SeparatedTargets, are_the_whitened_means_with_singular_values_increased_by_one) {
    const Matrix means = normals(kClasses, kWidth, 1);
    const Dense rows = dense(normals(50, kWidth, 2));
    const Dense s = rows.transpose() * rows / 50;
    const Dense whitening = Eigen::SelfAdjointEigenSolver<Dense>(s).operatorInverseSqrt();
    const Eigen::RowVectorXd center = dense(means).colwise().mean();
    const Dense whitened = (dense(means).rowwise() - center) * whitening;
    const Eigen::JacobiSVD<Dense> svd(whitened, Eigen::ComputeThinU | Eigen::ComputeThinV);
    // The means are centered: the last singular value is zero, and its directions arbitrary.
    const Eigen::Index rank = kClasses - 1;
    const Vector increased = svd.singularValues().head(rank).array() + 1;
    Dense expected = svd.matrixU().leftCols(rank) * increased.asDiagonal() *
                     svd.matrixV().leftCols(rank).transpose() * whitening;
    expected = (expected.rowwise() + center).rowwise().normalized();
    EXPECT_LT((dense(separated_targets(means, matrix(s))) - expected).cwiseAbs().maxCoeff(), 1e-4);
}

double exact_gelu(double x) {
    return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
}

// Of one row per class, so that the shared covariance is what is added to its diagonal.
TEST(AnaCp, is_two_ridge_regressions_on_random_features) {
    constexpr std::size_t kSize = 20;
    constexpr Eigen::Index kPseudoRows = 3;
    constexpr double kLambda = 0.1;
    Examples e{normals(kClasses, kWidth, 1), {}};
    scale_rows_to_unit_length(e.x);
    for (std::size_t c = 0; c < kClasses; ++c) e.labels.push_back(static_cast<ClassId>(c));
    auto learner = make(
        "anacp",
        {{"anacp.size", "20"}, {"anacp.heads", "2"}, {"anacp.pseudo_rows", "3"}, {"ridge.lambda", "0.1"}});
    learner->learn(e);
    const auto expanded = [&](const Dense& x, std::uint64_t stream) {
        Matrix projection(kWidth, kSize);
        Rng rng = Rng(1).fork(2).fork(stream);
        rng.fill_normal({projection.data(), projection.size()});
        return Dense((x * dense(projection)).unaryExpr(&exact_gelu));
    };
    const auto ridge = [&](const Dense& features, const Dense& targets) {
        const Dense gram = features.transpose() * features;
        return Dense((gram + kLambda * gram.trace() / kSize * Dense::Identity(kSize, kSize))
                         .ldlt()
                         .solve(features.transpose() * targets));
    };
    const Dense x = dense(e.x), covariance = kAnaCpRidge * Dense::Identity(kWidth, kWidth);
    const Dense targets = dense(separated_targets(e.x, matrix(covariance)));
    const auto output = [&](const Dense& rows) {
        Dense mean = Dense::Zero(rows.rows(), kWidth);
        for (const std::uint64_t head : {0, 1})
            mean += (expanded(rows, head) * ridge(expanded(x, head), targets)).rowwise().normalized() / 2;
        return mean;
    };
    Matrix normal(kClasses * kPseudoRows, kWidth);
    Rng rng = Rng(1).fork(2).fork(1000);
    rng.fill_normal({normal.data(), normal.size()});
    Dense pseudo_rows = std::sqrt(kAnaCpRidge) * dense(normal);
    Dense one_hot = Dense::Zero(kClasses * kPseudoRows, kClasses);
    for (Eigen::Index i = 0; i < pseudo_rows.rows(); ++i)
        pseudo_rows.row(i) += x.row(i / kPseudoRows), one_hot(i, i / kPseudoRows) = 1;
    const Dense classifier = ridge(expanded(output(pseudo_rows), 2), one_hot);
    Matrix probe = normals(10, kWidth, 4);
    scale_rows_to_unit_length(probe);
    const Dense expected = expanded(output(dense(probe)), 2) * classifier;
    EXPECT_LT((dense(learner->scores(probe)) - expected).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(AnaCp, does_not_depend_on_the_scale_of_the_rows_or_the_portions_of_a_session) {
    const Examples e = overlapping(0, kClasses, 1), probe = overlapping(0, kClasses, 2, 40);
    const Settings settings{
        {"anacp.size", "60"}, {"anacp.heads", "2"}, {"anacp.pseudo_rows", "30"}, {"ridge.lambda", "0.1"}};
    Examples large = e, large_probe = probe;
    for (Examples* scaled : {&large, &large_probe})
        for (std::size_t i = 0; i < scaled->x.size(); ++i) scaled->x.data()[i] *= 4;
    auto whole = make("anacp", settings), portions = make("anacp", settings);
    whole->learn(large);
    for (std::size_t first = 0; first < e.size(); first += kRows)
        portions->learn({e.x.view().slice(first, kRows), std::span(e.labels).subspan(first, kRows)});
    EXPECT_EQ(whole->predict(large_probe.x), portions->predict(probe.x));
    EXPECT_GT(test::accuracy(*portions, probe), 0.6);
}

TEST(AnaCp, chooses_its_ridge_in_the_base_session_and_keeps_it) {
    auto learner = make("anacp", {{"anacp.size", "60"}, {"anacp.heads", "1"}, {"anacp.pseudo_rows", "20"}});
    learner->learn(overlapping(0, kClasses, 1));
    const double lambda = learner->save().number("lambda");
    EXPECT_GT(lambda, 0);
    learner->learn(overlapping(kClasses, 1, 2));
    EXPECT_EQ(learner->save().number("lambda"), lambda);
    const Examples seen = overlapping(0, kClasses + 1, 3, 40);
    const Matrix probabilities = learner->probabilities(seen.x);
    double surest = 0;
    for (std::size_t i = 0; i < probabilities.size(); ++i)
        surest = std::max(surest, static_cast<double>(probabilities.data()[i]));
    EXPECT_GT(surest, 0.8) << "the temperature fits scores between 0 and 1";
}

}  // namespace
}  // namespace fearnet
