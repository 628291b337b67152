#include "fearnet/data/frames.hpp"

#include <gtest/gtest.h>

#include "fearnet/error.hpp"
#include "support/frames.hpp"

namespace fearnet {
namespace {

using test::rows_of_frames;

TEST(FindFrames, finds_frames_whose_features_are_correlated) {
    EXPECT_EQ(find_frames(rows_of_frames(200, 10, 16, 0.6)), 10u);
    EXPECT_EQ(find_frames(rows_of_frames(200, 2, 24, 0.6)), 2u);
    EXPECT_EQ(find_frames(rows_of_frames(200, 10, 16, 0.1)), 1u) << "hardly correlated";
    EXPECT_EQ(find_frames(rows_of_frames(200, 1, 160, 0.5)), 1u);
    EXPECT_EQ(find_frames(rows_of_frames(200, 10, 4, 0.6)), 5u) << "a frame has at least eight features";
    EXPECT_EQ(find_frames(Matrix(50, 64)), 1u) << "nothing varies";
    EXPECT_EQ(find_frames(rows_of_frames(1, 8, 8, 0.6)), 1u);
    EXPECT_EQ(find_frames(rows_of_frames(20, 1, 1, 0.6)), 1u);
}

TEST(SetFrames, sets_the_number_found_unless_the_user_set_one) {
    const Matrix frames = rows_of_frames(200, 10, 16, 0.6), whole = rows_of_frames(200, 1, 160, 0.6);
    const auto settings_for = [](LearnerSpec spec, MatrixView rows) {
        set_frames(spec, rows);
        return spec.settings;
    };
    EXPECT_EQ(settings_for({}, frames), (Settings{{"features.frames", "10"}}));
    EXPECT_EQ(settings_for({}, whole), (Settings{{"features.frames", "1"}}));
    for (const char* number : {"1", "5"}) {
        const Settings by_user{{"features.frames", number}};
        EXPECT_EQ(settings_for({"fearnet-plus", "", by_user}, frames), by_user);
    }
    EXPECT_EQ(settings_for({"fearnet", "", {}}, frames), Settings{}) << "has no such option";
    EXPECT_EQ(settings_for({"not registered", "", {}}, frames), Settings{});
    EXPECT_THROW(settings_for({"fearnet-plus", "no such preset", {}}, frames), Error);
}

}  // namespace
}  // namespace fearnet
