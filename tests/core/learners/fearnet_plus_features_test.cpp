// Which features FearNetPlus sees rows through: as they are, or random ones of rows or of their frames.
#include <gtest/gtest.h>

#include <cmath>

#include "core/learners/plus/fearnet_plus.hpp"
#include "fearnet/registry.hpp"
#include "support/accuracy.hpp"
#include "support/blobs.hpp"
#include "support/memory.hpp"

namespace fearnet {
namespace {

using test::accuracy;
using test::total_memory;

// A base, a class, a sleep and one more class; `rows` makes those of some classes.
template <class Rows>
void live(FearNetPlus& learner, const Rows& rows, std::size_t base) {
    learner.learn(rows(0, base, 1));
    learner.learn(rows(base, 1, 2));
    learner.sleep();
    learner.learn(rows(base + 1, 1, 3));
}

void expect_the_same_when_restored(const FearNetPlus& learner, MatrixView x) {
    const auto again = restore_learner(learner.save());
    const Matrix p = learner.probabilities(x), q = again->probabilities(x);
    EXPECT_TRUE(std::equal(p.data(), p.data() + p.size(), q.data()));
}

// Class c is a ring of radius c + 1. A row is ten frames of eight features. A frame is a point of the ring,
// and all points of a row are near each other.
Examples rings_in_frames(std::size_t first, std::size_t classes, std::uint64_t seed) {
    constexpr std::size_t kFrames = 10, kWidth = 8, kRows = 40;
    Rng rng(seed);
    Examples e;
    e.x = Matrix(kRows * classes, kFrames * kWidth);
    for (std::size_t i = 0; i < e.x.rows(); ++i) {
        const std::size_t c = first + i / kRows;
        const double start = 6.283185307 * rng.uniform();
        for (std::size_t f = 0; f < kFrames; ++f) {
            const double angle = start + 0.5 * rng.normal(), r = static_cast<double>(c + 1);
            for (std::size_t j = 0; j < kWidth; ++j)
                e.x(i, f * kWidth + j) =
                    static_cast<float>(r * (j % 2 ? std::sin(angle) : std::cos(angle)) + 0.3 * rng.normal());
        }
        e.labels.push_back(ClassId{static_cast<std::int32_t>(c)});
    }
    return e;
}

TEST(FearNetPlus, sees_each_frame_of_a_row_through_the_same_random_features) {
    const auto learn = [](FearNetPlus& learner) { live(learner, rings_in_frames, 4); };
    const Examples probe = rings_in_frames(0, 6, 9);
    FearNetPlus framed({.random_features = 256, .frames = 10}), straight({.transform = PlusTransform::none});
    learn(framed), learn(straight);
    EXPECT_EQ(framed.formula().frames, 10u);
    EXPECT_EQ(framed.formula().random.cols(), 8u);
    EXPECT_LT(accuracy(straight, probe), 0.7) << "too easy to tell";
    EXPECT_GT(accuracy(framed, probe), 0.85);
    expect_the_same_when_restored(framed, probe.x);
}

TEST(FearNetPlus, does_not_look_for_frames_by_itself) {
    for (const PlusTransform transform : {PlusTransform::automatic, PlusTransform::random}) {
        FearNetPlus learner({.transform = transform, .random_features = 256});
        learner.learn(rings_in_frames(0, 4, 1));
        EXPECT_EQ(learner.formula().frames, 1u);
        EXPECT_EQ(learner.formula().random.cols(), learner.formula().random.rows() > 0 ? 80u : 0u);
    }
    EXPECT_THROW(make_learner({"fearnet-plus", "", {{"features.frames", "0"}}}), Error);
}

TEST(FearNetPlus, tries_random_features_of_whole_rows_beside_those_of_frames) {
    // Two frames of eight features. The signs of one feature of each frame agree in class 0 and differ in
    // class 1, which no mean over frames can tell.
    Examples signs;
    signs.x = Matrix(120, 16);
    Rng rng(1);
    for (std::size_t i = 0; i < signs.x.rows(); ++i) {
        for (std::size_t j = 0; j < 16; ++j) signs.x(i, j) = static_cast<float>(0.1 * rng.normal());
        const float a = i % 2 ? 1.f : -1.f, b = i % 4 < 2 ? 1.f : -1.f;
        signs.x(i, 0) += a, signs.x(i, 9) += b;
        signs.labels.push_back(ClassId{a == b ? 0 : 1});
    }
    FearNetPlus learner({.random_features = 256, .frames = 2, .covariance_strength = 0});
    learner.learn(signs);
    EXPECT_GT(learner.formula().random.rows(), 0u);
    EXPECT_EQ(learner.formula().frames, 1u);
    EXPECT_GT(accuracy(learner, signs), 0.9);
}

TEST(FearNetPlus, refuses_a_width_that_the_frames_do_not_divide_where_frames_matter) {
    for (const PlusTransform transform : {PlusTransform::none, PlusTransform::sqrt})
        EXPECT_NO_THROW(FearNetPlus({.transform = transform, .frames = 7}).learn(rings_in_frames(0, 4, 1)));
    FearNetPlus uneven({.frames = 7});
    try {
        uneven.learn(rings_in_frames(0, 4, 1));
        FAIL() << "80 features are not 7 frames";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("80"), std::string::npos);
        EXPECT_NE(std::string(e.what()).find("features.frames = 7"), std::string::npos);
    }
    EXPECT_TRUE(uneven.classes().empty());
}

// Two features; class c is a ring around the origin of radius c + 1: all means are the same.
Examples circles(std::size_t first, std::size_t classes, std::uint64_t seed) {
    Examples e;
    e.x = Matrix(60 * classes, 2);
    Rng rng(seed);
    for (std::size_t i = 0; i < e.x.rows(); ++i) {
        const std::size_t c = first + i / 60;
        const double angle = 6.283185307 * rng.uniform(), r = static_cast<double>(c + 1) + 0.1 * rng.normal();
        e.x(i, 0) = static_cast<float>(r * std::cos(angle)),
               e.x(i, 1) = static_cast<float>(r * std::sin(angle));
        e.labels.push_back(ClassId{static_cast<std::int32_t>(c)});
    }
    return e;
}

TEST(FearNetPlus, sees_what_is_curved_in_narrow_rows) {
    const auto learn = [](FearNetPlus& learner) { live(learner, circles, 3); };
    const Examples probe = circles(0, 5, 9);
    FearNetPlus straight({.transform = PlusTransform::none}), itself;
    learn(straight), learn(itself);
    EXPECT_LT(accuracy(straight, probe), 0.7) << "too easy to tell";
    EXPECT_GT(accuracy(itself, probe), 0.9);
    EXPECT_GT(itself.formula().random.rows(), 0u);
    expect_the_same_when_restored(itself, probe.x);
    // Where there is no room for them it does without, and what it takes is counted.
    const std::size_t bytes = total_memory(itself);
    for (const std::int64_t budget : {10'000, 120'000}) {  // none for them, none for more classes
        FearNetPlus small({.memory_budget = budget});
        learn(small);
        EXPECT_EQ(small.formula().random.rows(), 0u) << budget;
    }
    FearNetPlus large({.memory_budget = 1'000'000});
    learn(large);
    EXPECT_GT(large.formula().random.rows(), 0u);
    EXPECT_LE(total_memory(large), 1'000'000u);
    EXPECT_GE(bytes, PlusModel::least_bytes(5, 2, 2, itself.formula().random.rows()));
    EXPECT_GT(bytes, itself.formula().random.bytes());
    FearNetPlus none({.transform = PlusTransform::random, .random_features = 0});
    EXPECT_THROW(none.learn(circles(0, 3, 1)), Error);
}

TEST(FearNetPlus, equal_rows_in_the_base_do_not_make_it_blind) {
    Examples base;
    base.x = Matrix(10, 4);
    for (std::int32_t i = 0; i < 10; ++i) base.labels.push_back(ClassId{i % 2});
    for (const PlusTransform transform : {PlusTransform::automatic, PlusTransform::random}) {
        FearNetPlus learner({.transform = transform, .random_features = 64});
        learner.learn(base);
        learner.learn(test::blobs(2, 3, 30, 4, 3));
        EXPECT_GT(accuracy(learner, test::blobs(2, 3, 30, 4, 9)), 0.6);
    }
}

}  // namespace
}  // namespace fearnet
