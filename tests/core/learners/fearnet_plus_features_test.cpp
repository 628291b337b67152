// Which features FearNetPlus sees rows through: as they are, or random ones of rows or of their pieces.
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

// Class c is a ring of radius c + 1, seen in ten pieces of eight features; a piece is a point of the ring,
// and all of a row are near each other.
Examples rings_in_pieces(std::size_t first, std::size_t classes, std::uint64_t seed) {
    constexpr std::size_t kFrames = 10, kPiece = 8, kRows = 40;
    Rng rng(seed);
    Examples e;
    e.x = Matrix(kRows * classes, kFrames * kPiece);
    for (std::size_t i = 0; i < e.x.rows(); ++i) {
        const std::size_t c = first + i / kRows;
        const double start = 6.283185307 * rng.uniform();
        for (std::size_t f = 0; f < kFrames; ++f) {
            const double angle = start + 0.5 * rng.normal(), r = static_cast<double>(c + 1);
            for (std::size_t j = 0; j < kPiece; ++j)
                e.x(i, f * kPiece + j) =
                    static_cast<float>(r * (j % 2 ? std::sin(angle) : std::cos(angle)) + 0.3 * rng.normal());
        }
        e.labels.push_back(ClassId{static_cast<std::int32_t>(c)});
    }
    return e;
}

TEST(FearNetPlus, finds_pieces_in_rows_and_sees_each_through_the_same_random_features) {
    const auto learn = [](FearNetPlus& learner) { live(learner, rings_in_pieces, 4); };
    const Examples probe = rings_in_pieces(0, 6, 9);
    FearNetPlus itself({.random_features = 256}), straight({.transform = PlusTransform::none});
    learn(itself), learn(straight);
    EXPECT_EQ(itself.formula().frames, 10u);
    EXPECT_EQ(itself.formula().random.cols(), 8u);
    EXPECT_LT(accuracy(straight, probe), 0.7) << "too easy to tell";
    EXPECT_GT(accuracy(itself, probe), 0.85);
    expect_the_same_when_restored(itself, probe.x);
    FearNetPlus uneven({.frames = 7});
    try {
        uneven.learn(rings_in_pieces(0, 4, 1));
        FAIL() << "80 features are not 7 pieces";
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
    EXPECT_GE(bytes, PlusModel::least_bytes(5, 2, itself.formula().random.rows()));
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
