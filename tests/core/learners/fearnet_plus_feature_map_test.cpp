// The feature maps of FearNetPlus against plain versions of their equations.
#include <gtest/gtest.h>

#include <cmath>

#include "core/learners/plus/constants.hpp"
#include "core/learners/plus/feature_map.hpp"
#include "support/blobs.hpp"
#include "support/dense.hpp"
#include "support/frames.hpp"

namespace fearnet {
namespace {

using test::dense;
using test::Dense;
using test::normals;

TEST(FeatureMap, random_features_of_frames_are_their_mean) {
    const Matrix rows = test::rows_of_frames(300, 5, 12, 0.5);  // more rows than are mapped at once
    const FeatureMap map = FeatureMap::random(rows, 30, Rng(3), 5);
    ASSERT_EQ(map.inputs(), 60u);
    ASSERT_EQ(map.piece(), 12u);
    ASSERT_EQ(map.outputs(), 30u);
    const Matrix seen = map(rows), weights = map.weights();
    for (const std::size_t i : {0u, 7u, 299u})
        for (std::size_t k = 0; k < 30; ++k) {
            double mean = 0;
            for (std::size_t f = 0; f < 5; ++f) {
                auto sum = static_cast<double>(map.bias()(0, k));
                for (std::size_t j = 0; j < 12; ++j)
                    sum += static_cast<double>(weights(k, j)) *
                           static_cast<double>(rows(i, 12 * f + j) - map.given_center()(0, j));
                mean += std::max(0.0, sum) / 5;
            }
            EXPECT_NEAR(seen(i, k),
                        (mean - static_cast<double>(map.center()(0, k))) * static_cast<double>(map.scale()),
                        1e-3);
        }
    State state;
    map.save(state);
    const Matrix again = FeatureMap::load(state, 60)(rows);
    EXPECT_TRUE(std::equal(seen.data(), seen.data() + seen.size(), again.data()));
    EXPECT_THROW(FeatureMap::load(state, 61), Error) << "not a whole number of frames";
}

TEST(FeatureMap, centers_scales_and_takes_roots) {
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

TEST(FeatureMap, random_features_are_rectified_sums_of_centered_rows) {
    for (const std::size_t width : {std::size_t{5}, kManyFeatures}) {
        Examples rows = test::blobs(0, 3, 40, width, 1);
        for (std::size_t i = 0; i < rows.size(); ++i) rows.x(i, 2) *= 20;  // varies most
        const FeatureMap map = FeatureMap::random(rows.x, 40, Rng(3));
        ASSERT_EQ(map.inputs(), width);
        ASSERT_EQ(map.outputs(), 40u);
        const Matrix seen = map(rows.x), weights = map.weights(), bias = map.bias();
        std::size_t cut = 0;
        double along = 0, across = 0;
        for (std::size_t k = 0; k < 40; ++k) {
            double mean = 0;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                auto sum = static_cast<double>(bias(0, k));
                for (std::size_t j = 0; j < width; ++j)
                    sum += static_cast<double>(weights(k, j)) *
                           static_cast<double>(rows.x(i, j) - map.given_center()(0, j));
                cut += sum < 0;
                const double expected = (std::max(0.0, sum) - static_cast<double>(map.center()(0, k))) *
                                        static_cast<double>(map.scale());
                EXPECT_NEAR(seen(i, k), expected, 1e-3);
                mean += expected / static_cast<double>(rows.size());
            }
            EXPECT_NEAR(mean, 0, 1e-3);
            along += std::abs(static_cast<double>(weights(k, 2)));
            across += std::abs(static_cast<double>(weights(k, 3)));
        }
        EXPECT_GT(cut, rows.size()) << "otherwise they are not curved";
        EXPECT_EQ(along > 5 * across, width >= kManyFeatures) << "drawn like the rows when there are many";
        State state;
        map.save(state);
        const Matrix again = FeatureMap::load(state, width)(rows.x);
        EXPECT_TRUE(std::equal(seen.data(), seen.data() + seen.size(), again.data()));
        EXPECT_THROW(FeatureMap::load(state, width + 1), Error);
        State bad = state;
        bad.values<Matrix>("map.random.center")(0, 7) = std::numeric_limits<float>::quiet_NaN();
        EXPECT_THROW(FeatureMap::load(bad, width), Error);
        for (const char* key : {"map.random.weights", "map.random.bias"}) {
            bad = state;
            bad.values<Matrix>(key)(0, 3) = std::numeric_limits<float>::infinity();
            EXPECT_THROW(FeatureMap::load(bad, width), Error) << key;
        }
        bad = state;
        bad.set("map.random.weights", Matrix(39, width), ArrayKind::statistics);
        EXPECT_THROW(FeatureMap::load(bad, width), Error);
    }
}

}  // namespace
}  // namespace fearnet
