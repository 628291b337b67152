#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/math/chi_squared.hpp"
#include "fearnet/rng.hpp"
#include "lab/outliers/elliptic_envelope.hpp"
#include "lab/outliers/isolation_forest.hpp"
#include "lab/outliers/one_class_svm.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

Matrix normal_rows(std::size_t rows, std::size_t cols, std::uint64_t seed, double center = 0) {
    Matrix m(rows, cols);
    Rng rng(seed);
    for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = static_cast<float>(center + rng.normal());
    return m;
}

double outliers_among(const OutlierDetector& detector, MatrixView rows) {
    double count = 0;
    for (const double v : detector.decision(rows)) count += v < 0;
    return count / static_cast<double>(rows.rows);
}

struct Kind {
    const char* name;
    std::function<std::unique_ptr<OutlierDetector>(MatrixView, const Progress&)> fit;
    std::function<std::unique_ptr<OutlierDetector>(const State&)> load;
};
void PrintTo(const Kind& kind, std::ostream* out) {
    *out << kind.name;
}

template <class Detector>
std::unique_ptr<OutlierDetector> owned(Detector d) {
    return std::make_unique<Detector>(std::move(d));
}

std::vector<Kind> kinds() {
    return {{"IsolationForest",
             [](MatrixView x, const Progress& p) { return owned(IsolationForest::fit(x, {}, Rng(1), p)); },
             [](const State& s) { return owned(IsolationForest::load(s, "d")); }},
            {"EllipticEnvelope",
             [](MatrixView x, const Progress& p) {
                 return owned(EllipticEnvelope::fit(x, {.shrinkage = 0.01}, Rng(1), p));
             },
             [](const State& s) { return owned(EllipticEnvelope::load(s, "d")); }},
            {"OneClassSvm",
             [](MatrixView x, const Progress& p) { return owned(OneClassSvm::fit(x, {.nu = 0.1}, p)); },
             [](const State& s) { return owned(OneClassSvm::load(s, "d")); }}};
}

class EveryDetector : public testing::TestWithParam<Kind> {};

TEST_P(EveryDetector, calls_a_tenth_of_the_fitted_rows_outliers_and_nearly_all_far_ones) {
    const Matrix usual = normal_rows(1000, 5, 1), far = normal_rows(200, 5, 2, 4);
    const auto detector = GetParam().fit(usual, {});
    EXPECT_NEAR(outliers_among(*detector, usual), 0.1, 0.01);
    EXPECT_NEAR(outliers_among(*detector, normal_rows(1000, 5, 3)), 0.1, 0.05);
    EXPECT_GE(outliers_among(*detector, far), 0.99);
}

TEST_P(EveryDetector, comes_back_from_its_state_bit_for_bit_and_refuses_one_with_a_part_missing) {
    const Matrix usual = normal_rows(200, 4, 1), others = normal_rows(50, 4, 2, 1);
    const auto detector = GetParam().fit(usual, {});
    State state;
    detector->save(state, "d");
    const auto copy = GetParam().load(state);
    EXPECT_EQ(copy->decision(others), detector->decision(others));
    EXPECT_EQ(copy->bytes(), detector->bytes());
    EXPECT_EQ(copy->width(), 4u);
    for (const auto& [key, value] : state.arrays) {
        State damaged = state;
        damaged.arrays.erase(key);
        EXPECT_THROW(GetParam().load(damaged), Error) << key;
        damaged.set(key, Matrix(7, 3), value.kind);
        EXPECT_THROW(GetParam().load(damaged), Error) << key;
        damaged.set(key, std::vector<std::int64_t>{-5});
        EXPECT_THROW(GetParam().load(damaged), Error) << key;
    }
}

TEST_P(EveryDetector, accepts_one_row_and_equal_rows) {
    for (std::size_t rows : {1u, 2u, 40u}) {
        Matrix same(rows, 3);
        std::fill_n(same.data(), same.size(), 0.5f);
        const auto detector = GetParam().fit(same, {});
        for (const double v : detector->decision(same)) EXPECT_TRUE(std::isfinite(v));
    }
}

TEST_P(EveryDetector, gives_the_same_twice_and_can_be_cancelled) {
    const Matrix usual = normal_rows(700, 4, 1);  // enough for the envelope's parts
    EXPECT_EQ(GetParam().fit(usual, {})->decision(usual), GetParam().fit(usual, {})->decision(usual));
    int calls = 0;
    EXPECT_THROW(GetParam().fit(usual, [&](const ProgressEvent&) { return ++calls < 3; }), Cancelled);
}

INSTANTIATE_TEST_SUITE_P(All, EveryDetector, testing::ValuesIn(kinds()),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(IsolationForest, average_path_is_the_papers) {
    EXPECT_EQ(IsolationForest::average_path(1), 0);
    EXPECT_EQ(IsolationForest::average_path(2), 1);
    EXPECT_NEAR(IsolationForest::average_path(256), 10.2447709, 1e-6);  // scikit-learn 1.2
}

TEST(IsolationForest, one_far_row_in_one_column_is_isolated_by_one_split_at_once) {
    // 0 and 1e6: the first split nearly always lies between, so the far row's path is 1 and its score is
    // 2^(-1 / c(n)); the other three stay together for longer.
    Matrix rows(4, 1);
    rows(0, 0) = 1e6f, rows(1, 0) = 0, rows(2, 0) = 1, rows(3, 0) = 2;
    const auto forest = IsolationForest::fit(rows, {.trees = 2000}, Rng(1), {});
    const auto scores = forest.scores(rows);
    EXPECT_NEAR(scores[0], std::exp2(-1 / IsolationForest::average_path(4)), 1e-3);
    // max depth 2: after the far row is gone, {0} | {1, 2} or {0, 1} | {2} with equal chance: the middle
    // row's path is 2 + c(2) = 3, an end's 2 or 3.
    EXPECT_NEAR(scores[2], std::exp2(-3 / IsolationForest::average_path(4)), 1e-3);
    EXPECT_NEAR(scores[1], std::exp2(-2.5 / IsolationForest::average_path(4)), 1e-2);
}

TEST(IsolationForest, refuses_more_trees_than_it_can_number) {
    const Matrix rows = normal_rows(2000, 1, 1);
    EXPECT_THROW(IsolationForest::fit(rows, {.trees = 1000000, .subsample = 2000}, Rng(1), {}), Error);
}

TEST(EllipticEnvelope, many_far_rows_do_not_move_it) {
    // A fifth of the rows is elsewhere, close together: the plain mean would be at 2.
    for (std::size_t n : {300u, 1200u}) {
        Matrix rows = normal_rows(n, 3, 1);
        for (std::size_t i = 0; i < n / 5; ++i)
            for (std::size_t j = 0; j < 3; ++j) rows(i, j) = 10 + 0.1f * rows(i, j);
        const auto envelope = EllipticEnvelope::fit(rows, {.contamination = 0.2}, Rng(1), {});
        for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(envelope.mean()(0, j), 0, 0.25) << n;
        const auto distances = envelope.squared_distances(rows);
        double sum = 0;
        for (std::size_t i = n / 5; i < n; ++i) sum += distances[i] / static_cast<double>(n - n / 5);
        EXPECT_NEAR(sum, 3, 0.8) << "squared distances of Gaussian rows average the dimension; rows: " << n;
        for (std::size_t i = 0; i < n / 5; ++i) EXPECT_GT(distances[i], 50);
    }
}

TEST(EllipticEnvelope, does_not_depend_on_the_scale_and_tilt_of_the_columns) {
    const Matrix rows = normal_rows(400, 3, 1);
    Matrix tilted(400, 3);
    for (std::size_t i = 0; i < 400; ++i) {
        tilted(i, 0) = 100 * rows(i, 0) + 7;
        tilted(i, 1) = rows(i, 1) + 0.5f * rows(i, 0);
        tilted(i, 2) = 0.01f * (rows(i, 2) - rows(i, 1));
    }
    const auto a = EllipticEnvelope::fit(rows, {}, Rng(1), {}).squared_distances(rows);
    const auto b = EllipticEnvelope::fit(tilted, {}, Rng(1), {}).squared_distances(tilted);
    for (std::size_t i = 0; i < 400; ++i) EXPECT_NEAR(a[i], b[i], 0.01 * (1 + a[i]));
}

TEST(EllipticEnvelope, refuses_a_singular_covariance_unless_it_may_shrink_it) {
    const Matrix rows = normal_rows(20, 30, 1);
    try {
        EllipticEnvelope::fit(rows, {}, Rng(1), {});
        FAIL();
    } catch (const Error& e) {
        for (const char* part : {"20 rows", "30 dimensions", "amygdala.shrinkage"})
            EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
    const auto envelope = EllipticEnvelope::fit(rows, {.shrinkage = 0.1}, Rng(1), {});
    EXPECT_GT(outliers_among(envelope, normal_rows(100, 30, 2, 3)), 0.99);
}

TEST(EllipticEnvelope, accepts_rows_like_those_it_was_fitted_on_when_they_are_few) {
    for (std::size_t n : {20u, 45u, 100u}) {
        const auto envelope = EllipticEnvelope::fit(normal_rows(n, 30, 1), {.shrinkage = 0.1}, Rng(1), {});
        EXPECT_NEAR(outliers_among(envelope, normal_rows(500, 30, 2)), 0.1, 0.12) << n;
        EXPECT_GT(outliers_among(envelope, normal_rows(100, 30, 3, 2)), 0.9) << n;
    }
}

TEST(OneClassSvm, nu_bounds_outliers_and_support_vectors) {
    const Matrix rows = normal_rows(500, 4, 1);
    for (double nu : {0.05, 0.2, 0.5}) {
        const auto svm = OneClassSvm::fit(rows, {.nu = nu}, {});
        EXPECT_LE(outliers_among(svm, rows), nu + 0.01);
        EXPECT_GE(static_cast<double>(svm.support_vectors()), nu * 500);
    }
}

TEST(OneClassSvm, two_rows_have_the_decision_that_paper_and_pencil_give) {
    // alpha = 0.5 each for nu = 0.5 by symmetry, gamma = 1, distance 1: rho = 0.5 (1 + e^-1), so both lie on
    // the border and the point between them is inside by e^(-1/4) - rho.
    Matrix rows(2, 1), between(1, 1);
    rows(1, 0) = 1, between(0, 0) = 0.5f;
    const auto svm = OneClassSvm::fit(rows, {.nu = 0.5, .gamma = 1}, {});
    for (const double v : svm.decision(rows)) EXPECT_NEAR(v, 0, 2e-3);
    EXPECT_NEAR(svm.decision(between)[0], std::exp(-0.25) - 0.5 * (1 + std::exp(-1)), 2e-3);
}

TEST(ChiSquared, quantiles_are_the_printed_ones) {
    EXPECT_NEAR(math::chi_squared_quantile(0.95, 1), 3.841459, 1e-6);
    EXPECT_NEAR(math::chi_squared_quantile(0.5, 2), 2 * std::log(2), 1e-9);
    EXPECT_NEAR(math::chi_squared_quantile(0.975, 10), 20.483177, 1e-6);
    EXPECT_NEAR(math::chi_squared_quantile(0.975, 100), 129.561197, 1e-6);
    EXPECT_NEAR(math::chi_squared_quantile(0.5, 2048), 2047.3334, 1e-3);
    EXPECT_NEAR(math::chi_squared_probability(3, 4), 1 - std::exp(-1.5) * 2.5, 1e-12);
}

TEST(Quantile, interpolates_like_numpy) {
    EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
    EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.9), 3.7);
    EXPECT_DOUBLE_EQ(quantile({7}, 0.3), 7);
    EXPECT_DOUBLE_EQ(quantile({1, 2}, 1), 2);
}

}  // namespace
}  // namespace fearnet
