// What a brain records about the front end that makes its rows.
#include <gtest/gtest.h>

#include "fearnet/error.hpp"
#include "support/brains.hpp"
#include "support/forge.hpp"

namespace fearnet {
namespace {

class BrainFrontEnd : public testing::Test {
  protected:
    std::string refusal(Brain& brain, const FrontEnd& front_end) {
        try {
            brain.learn(front_end, more_.x, test::names_of(more_));
        } catch (const Error& e) {
            return e.what();
        }
        return "";
    }
    static bool mentions(const std::string& text, const std::string& part) {
        return text.find(part) != text.npos;
    }

    test::Folder folder_;
    const std::filesystem::path file_ = folder_ / "pets.brain";
    const Examples base_ = test::blobs(0, 3, 20, 12, 1), more_ = test::blobs(3, 1, 20, 12, 2);
    const FrontEnd lite_{"lite", "0123abcd", 12};
};

TEST_F(BrainFrontEnd, is_recorded_with_the_first_session_and_kept) {
    {
        Brain brain(file_, create_new());
        EXPECT_EQ(brain.front_end(), FrontEnd());
        brain.learn(lite_, base_.x, test::names_of(base_));
        EXPECT_EQ(brain.front_end(), lite_);
    }
    Brain brain(file_);
    EXPECT_EQ(brain.front_end(), lite_);
    EXPECT_EQ(brain.info().front_end, lite_);
    brain.learn(lite_, more_.x, test::names_of(more_));
    EXPECT_EQ(brain.class_names().size(), 4u);
    EXPECT_EQ(check_brain(file_), std::vector<std::string>{});
}

TEST_F(BrainFrontEnd, chosen_for_a_new_brain_tells_its_width_before_the_first_session) {
    BrainOptions options;
    options.front_end = lite_;
    Brain brain(file_, create_new(options));
    EXPECT_EQ(brain.width(), 12u);
    const Examples narrow = test::blobs(0, 2, 10, 5, 1);
    EXPECT_THROW(brain.learn(narrow.x, test::names_of(narrow)), Error);
    brain.learn(base_.x, test::names_of(base_));
    EXPECT_EQ(brain.front_end(), lite_);
}

TEST_F(BrainFrontEnd, refuses_rows_of_another_front_end_and_stays_as_it_was) {
    Brain brain(file_, create_new());
    brain.learn(lite_, base_.x, test::names_of(base_));
    const std::string other = refusal(brain, {"whisper", "0123abcd", 12});
    EXPECT_TRUE(mentions(other, "whisper") && mentions(other, "lite")) << other;
    const std::string version = refusal(brain, {"lite", "ffff", 12});
    EXPECT_TRUE(mentions(version, "ffff") && mentions(version, "0123abcd")) << version;
    const std::string width = refusal(brain, {"lite", "0123abcd", 13});
    EXPECT_TRUE(mentions(width, "12") && mentions(width, "13")) << width;
    EXPECT_EQ(brain.class_names().size(), 3u);
    EXPECT_EQ(brain.front_end(), lite_);
    EXPECT_EQ(refusal(brain, lite_), "");
}

TEST_F(BrainFrontEnd, is_not_recorded_when_learning_fails) {
    Brain brain(file_, create_new());
    EXPECT_TRUE(mentions(refusal(brain, {"bad\nname", "0123abcd", 12}), "front end"));
    EXPECT_EQ(brain.front_end(), FrontEnd());
    EXPECT_THROW(
        brain.learn(lite_, base_.x, test::names_of(base_), [](const ProgressEvent&) { return false; }),
        Cancelled);
    EXPECT_EQ(brain.front_end(), FrontEnd());
    EXPECT_EQ(Brain(file_).front_end(), FrontEnd());
}

TEST_F(BrainFrontEnd, cannot_join_a_brain_that_learned_other_rows) {
    Brain brain(file_, create_new());
    brain.learn(base_.x, test::names_of(base_));
    EXPECT_TRUE(mentions(refusal(brain, lite_), "new brain"));
    EXPECT_EQ(brain.front_end(), FrontEnd());
    BrainOptions text;
    text.settings.features = BrainFeatures::text;
    text.front_end = lite_;
    EXPECT_THROW(Brain{text}, Error);
}

TEST_F(BrainFrontEnd, that_a_file_describes_only_in_part_is_damage) {
    {
        Brain brain(file_, create_new());
        brain.learn(lite_, base_.x, test::names_of(base_));
    }
    test::forge(file_, "DELETE FROM brain WHERE name = 'no such row'");
    EXPECT_EQ(Brain(file_).front_end(), lite_) << "the forgery itself is good";
    test::forge(file_, "DELETE FROM brain WHERE name = 'front_end_width'");
    EXPECT_THROW(Brain{file_}, Error);
}

}  // namespace
}  // namespace fearnet
