// What learners with class means share to estimate familiarity: sketches of left-out rows, evidence, far
// rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/learners/kit/evidence.hpp"
#include "core/learners/kit/far_rows.hpp"
#include "core/learners/kit/left_out_sketches.hpp"
#include "fearnet/rng.hpp"

namespace fearnet {
namespace {

std::vector<double> normal_numbers(std::size_t n, std::uint64_t seed, double mean = 0) {
    Rng rng(seed);
    std::vector<double> v(n);
    for (double& x : v) x = mean + rng.normal();
    return v;
}

// Scores of rows, normal around `mean`; the fit of a row is its p-value.
struct NormalScores {
    NormalScores(std::size_t rows, std::uint64_t seed, double mean = 0)
        : own(normal_numbers(rows, seed + 1, mean)), far{normal_numbers(rows, seed + 2, mean)} {}
    void add_to(LeftOutSketches& sketches, std::int32_t column, std::size_t classes) const {
        const std::vector<std::int32_t> columns(own.size(), column);
        sketches.add({own, far}, columns, classes, [&](const LeftOutSketches& others, std::size_t i) {
            return others.class_p_value(static_cast<std::size_t>(column), own[i]);
        });
    }
    std::vector<double> own;
    std::vector<std::vector<double>> far;
};

TEST(LeftOutSample, takes_rows_evenly_and_none_of_a_class_of_one) {
    std::vector<std::int32_t> columns(1000, 0);
    columns.push_back(1);
    columns.insert(columns.end(), 10, 2);
    const std::vector<std::int64_t> counts{1000, 1, 10};
    const LeftOutSample sample(columns, counts);
    EXPECT_EQ(sample.rows.size(), LeftOutSample::kPerClass + 10);
    EXPECT_EQ(std::count(sample.columns.begin(), sample.columns.end(), 1), 0);
    for (std::size_t i = 0; i < sample.rows.size(); ++i)
        EXPECT_EQ(columns[sample.rows[i]], sample.columns[i]);
    EXPECT_GT(sample.rows[LeftOutSample::kPerClass - 1], 900u) << "spread over all rows of the class";
}

TEST(LeftOutSketches, new_rows_are_below_p_with_a_probability_of_about_p) {
    LeftOutSketches sketches;
    EXPECT_FALSE(sketches.ready());
    NormalScores(2000, 1).add_to(sketches, 0, 1);
    ASSERT_TRUE(sketches.ready());
    const NormalScores fresh(4000, 11);
    const auto familiarity = [&](double own, double far) {
        return sketches.familiarity(sketches.class_p_value(0, own), std::vector<double>{far});
    };
    double below = 0, below_own = 0;
    for (std::size_t i = 0; i < 4000; ++i) {
        below += familiarity(fresh.own[i], fresh.far[0][i]) < 0.05;
        below_own += sketches.class_p_value(0, fresh.own[i]) < 0.1;
    }
    EXPECT_NEAR(below / 4000, 0.05, 0.015);
    EXPECT_NEAR(below_own / 4000, 0.1, 0.02);
    EXPECT_LT(familiarity(0, -6), 0.01) << "far, though it fits a class";
    EXPECT_LT(familiarity(-6, 0), 0.01) << "near, but fits no class";
    EXPECT_EQ(familiarity(0, -1), familiarity(0, 1)) << "neither is far";
}

TEST(LeftOutSketches, without_scores_for_classes_far_rows_are_unfamiliar) {
    LeftOutSketches sketches(2);
    const std::vector<std::int32_t> columns(1000, 0);
    sketches.add({{}, {normal_numbers(1000, 1), normal_numbers(1000, 2)}}, columns, 1, {});
    ASSERT_TRUE(sketches.ready());
    EXPECT_EQ(sketches.classes_with_scores(), 0u);
    EXPECT_GT(sketches.familiarity(1, std::vector<double>{0, 0}), 0.5);
    EXPECT_LT(sketches.familiarity(1, std::vector<double>{0, -5}), 0.01);
}

TEST(LeftOutSketches, a_class_of_few_rows_is_judged_by_all_classes_too_and_can_be_dropped) {
    LeftOutSketches sketches;
    NormalScores(500, 1).add_to(sketches, 0, 1);
    NormalScores(500, 21, 4).add_to(sketches, 2, 3);
    EXPECT_GT(sketches.class_p_value(0, 0), 0.4);
    EXPECT_LT(sketches.class_p_value(2, 0), 0.02);
    EXPECT_NEAR(sketches.class_p_value(1, 0), 0.25, 0.05)
        << "without rows: half of all rows are lower or not";
    sketches.drop(1);
    EXPECT_LT(sketches.class_p_value(1, 0), 0.02) << "the last class moved down";
}

TEST(LeftOutSketches, a_damaged_state_is_refused) {
    LeftOutSketches sketches;
    NormalScores(100, 1).add_to(sketches, 0, 2);
    State state;
    sketches.save(state);
    const LeftOutSketches copy = LeftOutSketches::load(state, 2);
    EXPECT_EQ(copy.class_p_value(0, -1.5), sketches.class_p_value(0, -1.5));
    EXPECT_EQ(copy.bytes(), sketches.bytes());
    EXPECT_THROW(LeftOutSketches::load(state, 3), Error) << "another number of classes";
    EXPECT_THROW(LeftOutSketches::load(state, 2, 2), Error) << "another number of ways to be far";
    for (const double bad : {-1.0, 1e30, std::nan("")}) {
        State damaged = state;
        damaged.set("open.sketched", std::vector<double>{bad, 1});
        EXPECT_THROW(LeftOutSketches::load(damaged, 2), Error) << bad;
    }
    State damaged = state;
    Matrix rows(1, 2);
    rows(0, 1) = -3;
    damaged.set("open.rows", rows, ArrayKind::statistics);
    EXPECT_THROW(LeftOutSketches::load(damaged, 2), Error);
    EXPECT_FALSE(LeftOutSketches::load(State(), 2).ready());
    State earlier = state;
    earlier.set("open.sketched", std::vector<double>{1, 1, 2});
    EXPECT_FALSE(LeftOutSketches::load(earlier, 2).ready()) << "sketches of an earlier version";
}

TEST(ScoreSketch, follows_the_largest_of_more_scores) {
    constexpr std::size_t kRows = 20000;
    const auto largest_of = [&](std::size_t others, std::vector<double>& own) {
        own = normal_numbers(kRows, 1, 2);
        std::vector<double> largest = own, more;
        for (std::size_t k = 0; k < others; ++k) {
            more = normal_numbers(kRows, 10 + k);
            for (std::size_t i = 0; i < kRows; ++i) largest[i] = std::max(largest[i], more[i]);
        }
        return ScoreSketch(std::move(largest), std::vector<double>(kRows, 1));
    };
    std::vector<double> own;
    const ScoreSketch few = largest_of(10, own), many = largest_of(40, own);
    const ScoreSketch of_own(own, std::vector<double>(kRows, 1));
    const ScoreSketch grown = ScoreSketch::with_more_others(few, of_own, 4),
                      shrunken = ScoreSketch::with_more_others(many, of_own, 0.25);
    for (const double x : {1.0, 1.5, 2.0, 3.0}) {
        EXPECT_NEAR(grown.p_value(x), many.p_value(x), 0.02) << x;
        EXPECT_NEAR(shrunken.p_value(x), few.p_value(x), 0.04) << x;
    }
    EXPECT_LT(many.p_value(1.5), 0.5 * few.p_value(1.5)) << "it makes a difference";
    EXPECT_TRUE(ScoreSketch::with_more_others(ScoreSketch(), of_own, 4).empty());
    const ScoreSketch equal(std::vector<double>(5, 2.5), std::vector<double>(5, 1));
    EXPECT_NEAR(ScoreSketch::with_more_others(equal, equal, 4).p_value(2.5001), 1, 1e-9);
}

// Rows of classes with covariance `spread`^2 I around means that are normal.
struct Classes {
    Classes(std::size_t classes, std::size_t rows, std::size_t d, double spread, std::uint64_t seed)
        : x(classes * rows, d) {
        Rng centers(7), noise(seed);
        Matrix center(classes, d);
        centers.fill_normal({center.data(), center.size()});
        for (std::size_t i = 0; i < x.rows(); ++i) {
            columns.push_back(static_cast<std::int32_t>(i / rows));
            for (std::size_t j = 0; j < d; ++j)
                x(i, j) = center(i / rows, j) + static_cast<float>(spread * noise.normal());
        }
        moments.add(x, columns, classes, true);
    }
    Matrix residuals() const {
        Matrix r = x;
        for (std::size_t i = 0; i < x.rows(); ++i)
            for (std::size_t j = 0; j < x.cols(); ++j)
                r(i, j) -= moments.means(static_cast<std::size_t>(columns[i]), j);
        return r;
    }
    Matrix x;
    std::vector<std::int32_t> columns;
    ClassMoments moments;
};

double mean_of(const std::vector<double>& v) {
    double sum = 0;
    for (const double x : v) sum += x;
    return sum / static_cast<double>(v.size());
}
double deviation_of(const std::vector<double>& v) {
    const double mean = mean_of(v);
    double sum = 0;
    for (const double x : v) sum += (x - mean) * (x - mean);
    return std::sqrt(sum / static_cast<double>(v.size()));
}

std::vector<double> own_evidence(const Evidence& evidence, const LinearReadout& readout,
                                 const Classes& rows) {
    const Matrix all = evidence.of_classes(readout.scores(rows.x));
    std::vector<double> own;
    for (std::size_t i = 0; i < rows.x.rows(); ++i)
        own.push_back(static_cast<double>(all(i, static_cast<std::size_t>(rows.columns[i]))));
    return own;
}

TEST(Evidence, is_standardized_for_gaussian_rows_whatever_the_number_of_classes) {
    constexpr double kSpread = 0.4;
    for (const std::size_t classes : {3u, 30u}) {
        const Classes taught(classes, 400, 20, kSpread, 1), fresh(classes, 100, 20, kSpread, 2);
        const LinearReadout readout = nearest_mean_readout(taught.moments, false);
        const Evidence evidence(readout, taught.moments.means, kSpread * kSpread, 1);
        const std::vector<double> own = own_evidence(evidence, readout, fresh);
        EXPECT_NEAR(mean_of(own), 0, 0.1) << classes;
        EXPECT_NEAR(deviation_of(own), 1, 0.1) << classes;
    }
}

TEST(Evidence, of_left_out_rows_is_that_of_new_rows) {
    constexpr double kSpread = 0.7;
    const Classes taught(40, 8, 30, kSpread, 1), fresh(40, 60, 30, kSpread, 2);
    const Matrix residuals = taught.residuals();
    EXPECT_NEAR(variance_along_means(taught.moments.means, residuals, taught.columns, taught.moments.counts),
                kSpread * kSpread, 0.06);
    const auto compare = [&](const LinearReadout& readout, double unit, const Matrix& solved, double rows) {
        const Evidence evidence(readout, taught.moments.means, unit, 1);
        const Evidence::OfRows left =
            evidence.left_out(readout, taught.moments.means,
                              {taught.x, residuals, solved, taught.columns, taught.moments.counts, rows});
        const std::vector<double> taught_own = own_evidence(evidence, readout, taught),
                                  own = own_evidence(evidence, readout, fresh),
                                  best = evidence.best(readout.scores(fresh.x));
        EXPECT_NEAR(mean_of(left.own), mean_of(own), 0.15);
        EXPECT_NEAR(mean_of(left.best), mean_of(best), 0.15);
        EXPECT_GT(mean_of(taught_own), mean_of(own) + 0.4) << "that of taught rows is not";
    };
    constexpr double kVariance = kSpread * kSpread;
    Matrix solved = residuals;
    for (std::size_t i = 0; i < solved.size(); ++i) solved.data()[i] /= static_cast<float>(kVariance);
    compare(nearest_mean_readout(taught.moments, false), kVariance, solved, 0);
    solved = residuals;
    const LdaSolution lda = lda_solution(taught.moments, 0.3, solved);
    compare(lda.readout, 1, solved, static_cast<double>(taught.moments.rows()));
}

TEST(LdaSolution, has_the_readout_of_lda_and_solves_for_the_residuals) {
    const Classes taught(6, 20, 12, 0.5, 3);
    Matrix solved = taught.residuals();
    const LdaSolution lda = lda_solution(taught.moments, 0.2, solved);
    const LinearReadout readout = lda_readout(taught.moments, 0.2);
    EXPECT_TRUE(std::equal(readout.weights.data(), readout.weights.data() + readout.weights.size(),
                           lda.readout.weights.data()));
    EXPECT_EQ(readout.bias, lda.readout.bias);
    EXPECT_EQ(solved.rows(), taught.x.rows());
    // r' S^-1 m, from either side.
    const Matrix residuals = taught.residuals();
    for (const std::size_t i : {0u, 57u})
        for (std::size_t c = 0; c < 6; ++c) {
            double left = 0, right = 0;
            for (std::size_t j = 0; j < 12; ++j) {
                left += static_cast<double>(solved(i, j)) * static_cast<double>(taught.moments.means(c, j));
                right += static_cast<double>(residuals(i, j)) * static_cast<double>(readout.weights(c, j));
            }
            EXPECT_NEAR(left, right, 1e-3);
        }
    EXPECT_GT(lda.variance, 0.7);
    EXPECT_LT(lda.variance, 1.3);
}

TEST(FarRows, tell_rows_that_are_too_far_or_vary_too_little_along_the_axes) {
    Classes taught(10, 80, 40, 0.3, 4);
    for (std::size_t i = 0; i < taught.x.rows(); ++i) taught.x(i, 0) *= 20;
    ClassMoments moments;
    moments.add(taught.x, taught.columns, 10, true);
    const FarRows far(moments);
    Matrix probes(3, 40);
    std::copy_n(taught.x.row(5), 40, probes.row(0));
    for (std::size_t j = 0; j < 40; ++j) probes(1, j) = 30;  // row 2: the origin, which is near the center
    const auto of_taught = far(taught.x), found = far(probes);
    ASSERT_EQ(found.size(), FarRows::kWays);
    EXPECT_NEAR(mean_of(of_taught[0]), 0, 0.5) << "relative to what is expected";
    EXPECT_LT(found[0][1], *std::min_element(of_taught[0].begin(), of_taught[0].end()));
    EXPECT_LT(found[1][2], mean_of(of_taught[1]) - 2 * deviation_of(of_taught[1]));
    State state;
    far.save(state);
    EXPECT_EQ(FarRows::load(state, 40)(probes), found);
    EXPECT_THROW(FarRows::load(state, 39), Error);
    state.set("open.expected", std::vector<double>{-1, 1});
    EXPECT_THROW(FarRows::load(state, 40), Error);
}

}  // namespace
}  // namespace fearnet
