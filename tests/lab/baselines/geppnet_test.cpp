#include "lab/baselines/geppnet.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "lab/baselines/geppnet_stm.hpp"
#include "support/blobs.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

constexpr std::size_t kWidth = 16;

Matrix random_rows(std::size_t rows, std::size_t cols, std::uint64_t seed) {
    Matrix m(rows, cols);
    Rng rng(seed);
    rng.fill_normal({m.data(), m.size()});
    return m;
}

GeppNetStmOptions quick() {
    GeppNetStmOptions o;
    o.map.side = 6;
    o.map.base_iterations = 800;
    o.readout.base_iterations = 800;
    o.incremental.iterations = 600;
    return o;
}

TEST(SelfOrganizingMap, steps_in_blocks_equal_plain_steps_one_by_one) {
    constexpr float kRounding = 2e-4f;
    const Matrix rows = random_rows(300, 40, 1);
    for (const double radius : {0.0, 0.7, 2.5}) {
        Rng a(3), b(3);
        SelfOrganizingMap fast(7, rows, a), plain(7, rows, b);
        MapSteps steps(fast);
        for (std::size_t first = 0; first < rows.rows(); first += MapSteps::kRows) {
            const std::size_t count = std::min(MapSteps::kRows, rows.rows() - first);
            steps.begin(rows.view().slice(first, count));
            for (std::size_t i = 0; i < count; ++i) {
                steps.squared_distances(i);
                if (i % 5 == 4) continue;  // a row that moves nothing
                steps.move(i, 0.3, radius);
                plain.move_reference(rows.row(first + i), 0.3, radius);
            }
            steps.finish();
        }
        float largest = 0;
        for (std::size_t i = 0; i < fast.prototypes().size(); ++i)
            largest = std::max(largest, std::abs(fast.prototypes().data()[i] - plain.prototypes().data()[i]));
        EXPECT_LT(largest, kRounding) << "radius " << radius;
    }
}

TEST(SelfOrganizingMap, distances_in_a_block_follow_the_moves_so_far) {
    constexpr float kRounding = 1e-3f;  // of squared distances of about 80
    const Matrix rows = random_rows(60, 40, 5);
    Rng a(3), b(3);
    SelfOrganizingMap fast(5, rows, a), plain(5, rows, b);
    MapSteps steps(fast);
    steps.begin(rows);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        const auto found = steps.squared_distances(i);
        for (std::size_t u = 0; u < plain.units(); ++u) {
            double expected = 0;
            for (std::size_t j = 0; j < 40; ++j)
                expected += std::pow(static_cast<double>(rows(i, j) - plain.prototypes()(u, j)), 2);
            ASSERT_NEAR(found[u], expected, kRounding) << "row " << i << " unit " << u;
        }
        steps.move(i, 0.2, 1.0);
        plain.move_reference(rows.row(i), 0.2, 1.0);
    }
}

TEST(SelfOrganizingMap, neighborhood_falls_with_distance_and_ends) {
    EXPECT_EQ(neighborhood(0, 0, 0), 1);
    EXPECT_EQ(neighborhood(1, 0, 0), 0);
    EXPECT_FLOAT_EQ(neighborhood(1, 2, 2), static_cast<float>(std::exp(-5.0 / 8)));
    EXPECT_EQ(neighborhood(10, 0, 2), 0);  // e^-12.5
}

TEST(GeppNet, responds_as_the_formula_says) {
    const std::vector<float> d = {0.9f, 0.5f, 0.6f, 3.0f};
    GeppNetActivationOptions options;
    options.power = 3;
    options.threshold = 0.4;
    const double kappa = 0.6;
    Responses found;
    respond(d, kappa, options, found);
    const auto g = [&](double square) { return std::exp(-square / (2 * kappa * kappa)); };
    ASSERT_EQ(found.units,
              (std::vector<std::uint32_t>{0, 1, 2}));  // g(0.9) / g(0.5) is 0.57, g(3) / g(0.5) 0.03
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(found.values[i], std::pow(g(d[i]), 3) / std::pow(g(0.5), 2), 1e-6);
    options.threshold = 0.6;
    respond(d, kappa, options, found);
    EXPECT_EQ(found.units, (std::vector<std::uint32_t>{1, 2}));
}

TEST(GeppNet, margin_is_negative_for_a_wrong_answer) {
    const std::vector<float> scores = {0.2f, 0.7f, 0.4f};
    EXPECT_FLOAT_EQ(signed_margin(scores, 1), 0.3f);
    EXPECT_FLOAT_EQ(signed_margin(scores, 0), -0.3f);
    EXPECT_FLOAT_EQ(signed_margin(scores, 7), -0.3f);
    EXPECT_FLOAT_EQ(signed_margin(std::vector<float>{0.5f}, 0), 0.5f);
}

bool same(const Matrix& a, const Matrix& b) {
    return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

TEST(GeppNet, map_moves_after_the_base_only_for_novel_rows) {
    const Examples base = test::blobs(0, 3, 30, kWidth, 1), next = test::blobs(3, 1, 30, kWidth, 2);
    GeppNetOptions options = quick();
    for (const double threshold : {-10.0, 0.0}) {
        options.incremental.novelty_threshold = threshold;
        GeppNet learner(options);
        learner.learn(base);
        const Matrix before = learner.save().matrix("map.prototypes");
        learner.learn(next);
        EXPECT_EQ(same(learner.save().matrix("map.prototypes"), before), threshold == -10.0) << threshold;
    }
}

TEST(GeppNet, keeps_every_row_it_was_taught) {
    GeppNet learner(quick());
    learner.learn(test::blobs(0, 3, 30, kWidth, 1));
    learner.learn(test::blobs(3, 1, 20, kWidth, 2));
    EXPECT_EQ(learner.save().matrix("known.x").rows(), 110u);
    EXPECT_EQ(learner.memory().at("examples"), 110 * (kWidth * sizeof(float) + sizeof(std::int32_t)));
}

TEST(GeppNetStm, learns_new_classes_in_sleep_only) {
    const Examples next = test::blobs(3, 1, 30, kWidth, 2);
    GeppNetStm learner(quick());
    learner.learn(test::blobs(0, 3, 30, kWidth, 1));
    const Matrix before = learner.save().matrix("map.prototypes");
    learner.learn(next);
    EXPECT_TRUE(same(learner.save().matrix("map.prototypes"), before));
    for (const ClassId id : learner.predict(next.x)) EXPECT_NE(id, ClassId{3});
    EXPECT_EQ(learner.memory().at("buffer"), 30 * (kWidth * sizeof(float) + sizeof(std::int32_t)));
    learner.sleep();
    const auto answers = learner.predict(next.x);
    EXPECT_GE(std::count(answers.begin(), answers.end(), ClassId{3}), 25);
    EXPECT_EQ(learner.memory().at("buffer"), 0u);
    EXPECT_EQ(learner.save().matrix("known.x").rows(), 120u);
}

TEST(GeppNetStm, a_cancelled_sleep_leaves_it_as_it_was) {
    GeppNetStm learner(quick());
    learner.learn(test::blobs(0, 3, 30, kWidth, 1));
    const Examples next = test::blobs(3, 1, 30, kWidth, 2);
    learner.learn(next);
    const auto expected = learner.predict(next.x);
    const MemoryUse memory = learner.memory();
    int calls = 0;
    EXPECT_THROW(learner.sleep([&](const ProgressEvent&) { return ++calls < 3; }), Cancelled);
    EXPECT_EQ(learner.predict(next.x), expected);
    EXPECT_EQ(learner.memory(), memory);
}

TEST(GeppNetStm, buffer_drops_its_oldest_rows) {
    GeppNetStmOptions options = quick();
    options.buffer = 40;
    GeppNetStm learner(options);
    learner.learn(test::blobs(0, 3, 30, kWidth, 1));
    learner.learn(test::blobs(3, 1, 30, kWidth, 2));
    const Examples last = test::blobs(4, 1, 30, kWidth, 3);
    learner.learn(last);
    const State state = learner.save();
    std::vector<std::int64_t> expected(10, 3);
    expected.insert(expected.end(), 30, 4);
    EXPECT_EQ(state.integer("buffer.columns"), expected);
    const Matrix& kept = state.matrix("buffer.x");
    EXPECT_TRUE(std::equal(kept.row(10), kept.row(10) + 30 * kWidth, last.x.data()));
}

}  // namespace
}  // namespace fearnet
