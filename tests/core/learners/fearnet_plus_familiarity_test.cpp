// How familiar rows look to FearNet plus, and the sketches behind it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/learners/kit/score_sketch.hpp"
#include "core/learners/plus/fearnet_plus.hpp"
#include "fearnet/registry.hpp"
#include "support/blobs.hpp"

namespace fearnet {
namespace {

std::vector<double> normal_numbers(std::size_t n, std::uint64_t seed, double mean = 0) {
    Rng rng(seed);
    std::vector<double> v(n);
    for (double& x : v) x = mean + rng.normal();
    return v;
}

ScoreSketch sketch_of(const std::vector<double>& v) {
    return ScoreSketch(v, std::vector<double>(v.size(), 1));
}

double share_below(const std::vector<double>& v, double x) {
    return static_cast<double>(std::count_if(v.begin(), v.end(), [x](double a) { return a <= x; })) /
           static_cast<double>(v.size());
}

double share_below(const std::vector<double>& p, double limit, std::size_t first, std::size_t count) {
    std::size_t below = 0;
    for (std::size_t i = first; i < first + count; ++i) below += p[i] < limit;
    return static_cast<double>(below) / static_cast<double>(count);
}

TEST(ScoreSketch, p_values_are_the_share_of_scores_that_are_at_most_this_one) {
    const std::vector<double> scores = normal_numbers(20000, 1);
    const ScoreSketch sketch = sketch_of(scores);
    for (const double x : {-3.0, -2.0, -1.3, -0.5, 0.0, 0.7, 1.2})
        EXPECT_NEAR(sketch.p_value(x), share_below(scores, x), 0.02) << x;
    EXPECT_LT(sketch.p_value(-8), 1e-4);
    EXPECT_DOUBLE_EQ(sketch.p_value(8), 1);
}

// A new score is below the lowest of n with probability 1 / (n + 1).
TEST(ScoreSketch, new_scores_are_below_p_with_probability_p_even_if_few_scores_were_seen) {
    double below_10 = 0, below_3 = 0;
    const int rounds = 4000;
    for (int r = 0; r < rounds; ++r) {
        const ScoreSketch sketch = sketch_of(normal_numbers(30, 100 + static_cast<std::uint64_t>(r)));
        const double p = sketch.p_value(normal_numbers(1, 900000 + static_cast<std::uint64_t>(r))[0]);
        below_10 += p < 0.1;
        below_3 += p < 0.03;
    }
    EXPECT_NEAR(below_10 / rounds, 0.1, 0.015);
    EXPECT_NEAR(below_3 / rounds, 0.03, 0.01);
}

TEST(ScoreSketch, merged_sketches_are_those_of_all_scores_together) {
    std::vector<double> a = normal_numbers(9000, 1), b = normal_numbers(3000, 2, -2);
    const ScoreSketch merged = ScoreSketch::merged(sketch_of(a), 9000, sketch_of(b), 3000);
    a.insert(a.end(), b.begin(), b.end());
    for (const double x : {-3.5, -2.5, -1.5, -0.5, 0.5, 1.0})
        EXPECT_NEAR(merged.p_value(x), share_below(a, x), 0.03) << x;
    EXPECT_TRUE(std::is_sorted(merged.quantiles().begin(), merged.quantiles().end()));
    EXPECT_DOUBLE_EQ(ScoreSketch::merged(ScoreSketch(), 5, merged, 1).p_value(0.3), merged.p_value(0.3));
}

TEST(ScoreSketch, equal_scores_and_a_single_one_are_accepted) {
    for (const std::size_t n : {1u, 2u, 50u}) {
        const ScoreSketch sketch = sketch_of(std::vector<double>(n, 2.5));
        EXPECT_DOUBLE_EQ(sketch.p_value(2.5), 1);
        EXPECT_DOUBLE_EQ(sketch.p_value(3), 1);
        EXPECT_DOUBLE_EQ(sketch.p_value(2), 0);
    }
    EXPECT_DOUBLE_EQ(ScoreSketch().p_value(0), 1) << "nothing was seen";
}

TEST(ScoreSketch, quantiles_that_are_no_quantiles_are_refused) {
    std::vector<float> q(ScoreSketch::kShares.size());
    std::iota(q.begin(), q.end(), 0.0f);
    EXPECT_NO_THROW(ScoreSketch(std::span<const float>(q)));
    std::swap(q[2], q[3]);
    EXPECT_THROW(ScoreSketch(std::span<const float>(q)), Error);
    EXPECT_THROW(ScoreSketch(std::span<const float>(q).first(3)), Error);
}

constexpr std::size_t kWidth = 24;
Examples rows_of(std::size_t first, std::size_t classes, std::size_t rows, std::uint64_t seed) {
    return test::blobs(first, classes, rows, kWidth, seed, 0.35);
}

// By test: a learner with a base of twelve classes and eight later ones, asked about rows of its own, about
// rows of eight others, and about noise.
struct Taught : testing::TestWithParam<double> {
    Taught() : learner(PlusOptions{.covariance_strength = GetParam()}) {
        learner.learn(rows_of(0, 12, 60, 1));
        for (std::size_t c = 12; c < 20; ++c) {
            learner.learn(rows_of(c, 1, 60, 2 + c));
            if (c == 15) learner.sleep();
        }
    }
    FearNetPlus learner;
    static std::vector<float> numbers(const Matrix& m) { return {m.data(), m.data() + m.size()}; }
};

TEST_P(Taught, turns_away_the_promised_share_of_known_rows_and_most_others) {
    const Examples known = rows_of(0, 20, 50, 77), other = rows_of(20, 8, 50, 78);
    const std::vector<double> p = learner.familiarity(known.x), q = learner.familiarity(other.x);
    ASSERT_EQ(p.size(), known.size());
    EXPECT_NEAR(share_below(p, 0.05, 0, p.size()), 0.05, 0.03);
    EXPECT_NEAR(share_below(p, 0.01, 0, p.size()), 0.01, 0.02);
    EXPECT_GT(share_below(q, 0.05, 0, q.size()), 0.9);
    Matrix noise(200, kWidth);
    Rng(5).fill_normal({noise.data(), noise.size()});
    for (std::size_t i = 0; i < noise.size(); ++i) noise.data()[i] *= 10;
    const std::vector<double> far = learner.familiarity(noise);
    EXPECT_GT(share_below(far, 0.01, 0, far.size()), 0.95);
}

TEST_P(Taught, sets_hold_the_class_as_often_as_promised) {
    const Examples known = rows_of(0, 20, 50, 79);
    const Matrix p = learner.class_p_values(known.x);
    ASSERT_EQ(p.rows(), known.size());
    ASSERT_EQ(p.cols(), 20u);
    for (const double confidence : {0.9, 0.95}) {
        std::size_t held = 0;
        for (std::size_t i = 0; i < p.rows(); ++i)
            held += static_cast<double>(p(i, static_cast<std::size_t>(index_of(known.labels[i])))) >
                    1 - confidence;
        EXPECT_NEAR(static_cast<double>(held) / static_cast<double>(p.rows()), confidence, 0.03);
    }
}

TEST_P(Taught, one_pass_gives_the_scores_and_the_familiarity) {
    const Examples rows = rows_of(0, 20, 3, 80);
    const ScoredRows both = learner.scored(rows.x);
    EXPECT_EQ(numbers(both.scores), numbers(static_cast<const Learner&>(learner).scores(rows.x)));
    EXPECT_EQ(both.familiarity, learner.familiarity(rows.x));
    // A product of one row is rounded in another order.
    EXPECT_NEAR(learner.scored(MatrixView(rows.x).slice(7, 1)).familiarity.at(0), both.familiarity[7], 1e-4);
}

TEST_P(Taught, a_restored_learner_and_one_without_a_class_answer_alike) {
    const Examples rows = rows_of(0, 20, 5, 81);
    const std::unique_ptr<Learner> restored = restore_learner(learner.save());
    EXPECT_EQ(restored->familiarity(rows.x), learner.familiarity(rows.x));
    EXPECT_EQ(numbers(restored->class_p_values(rows.x)), numbers(learner.class_p_values(rows.x)));
    restored->forget(ClassId{3});
    const std::vector<double> p = restored->familiarity(rows_of(0, 20, 50, 82).x);
    EXPECT_LT(share_below(p, 0.05, 200, 800), 0.1) << "rows of the classes that are left";
    EXPECT_GT(share_below(p, 0.05, 150, 50), 0.8) << "rows of the class that is gone";
}

INSTANTIATE_TEST_SUITE_P(Familiarity, Taught, testing::Values(0.0, 0.3));

TEST(Familiarity, a_class_of_one_row_and_a_base_of_one_class_are_taught_all_the_same) {
    FearNetPlus learner;
    learner.learn(rows_of(0, 1, 1, 1));
    EXPECT_TRUE(learner.familiarity(rows_of(0, 1, 4, 2).x).empty()) << "no row could be left out";
    EXPECT_EQ(learner.class_p_values(rows_of(0, 1, 4, 2).x).rows(), 0u);
    learner.learn(rows_of(1, 1, 30, 3));
    learner.learn(rows_of(2, 1, 1, 4));
    for (const double p : learner.familiarity(rows_of(0, 3, 4, 5).x)) EXPECT_TRUE(p >= 0 && p <= 1);
}

// Two classes of ten rows of 400 features that vary mostly along a few: the axes of so few rows fit these rows
// better than new ones.
TEST(Familiarity, few_rows_of_many_features_do_not_make_new_rows_of_their_classes_unknown) {
    constexpr std::size_t kFeatures = 400, kFew = 10, kNew = 100;
    std::size_t unknown = 0, noise_unknown = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Rng rng(seed);
        const auto rows = [&](std::size_t n, double shift, double spread) {
            Matrix x(n, kFeatures);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < kFeatures; ++j)
                    x(i, j) = static_cast<float>((j % 2 == 0 ? shift : 0.0) +
                                                 spread / (1 + 0.05 * static_cast<double>(j)) * rng.normal());
            return x;
        };
        Matrix taught = rows(kFew, 0, 1);
        taught.append(rows(kFew, 0.5, 1));
        std::vector<ClassId> labels(kFew, ClassId{0});
        labels.resize(2 * kFew, ClassId{1});
        FearNetPlus learner{PlusOptions{}};
        learner.learn({taught, labels});
        for (const double p : learner.familiarity(rows(kNew, 0.5, 1))) unknown += p < 0.01;
        for (const double p : learner.familiarity(rows(kNew, 0.5, 8))) noise_unknown += p < 0.01;
    }
    EXPECT_LE(unknown, 6 * kNew * 3 / 100);
    EXPECT_GE(noise_unknown, 6 * kNew * 90 / 100);
}

TEST(Familiarity, asking_before_the_first_session_is_an_error) {
    EXPECT_THROW(FearNetPlus().familiarity(Matrix(1, 3)), Error);
    EXPECT_THROW(FearNetPlus().class_p_values(Matrix(1, 3)), Error);
}

}  // namespace
}  // namespace fearnet
