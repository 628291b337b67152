// What a program writes: typed options, one row or several, a file that is made when it is missing, or none.
#include <gtest/gtest.h>

#include <sstream>

#include "support/brains.hpp"

namespace fearnet {
namespace {

class BrainInterface : public testing::Test {
  protected:
    static constexpr std::size_t kWidth = 12;
    static std::string error_of(const std::function<void()>& call) {
        try {
            call();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
    test::Folder folder_;
    std::filesystem::path file_ = folder_ / "a.brain";
    Examples probe_ = test::blobs(0, 5, 10, kWidth, 9);
};

TEST_F(BrainInterface, rows_are_what_the_numbers_divide_into) {
    const std::vector<float> numbers(24, 1.0f);
    EXPECT_EQ(rows(numbers, 8).rows, 3u);
    EXPECT_EQ(rows(numbers, 8).cols, 8u);
    EXPECT_NE(error_of([&] { rows(numbers, 7); }).find("24 numbers"), std::string::npos);
    EXPECT_THROW(rows(numbers, 0), Error);
    EXPECT_EQ(rows({}, 8).rows, 0u);
}

TEST_F(BrainInterface, a_missing_file_is_made_only_when_asked_for) {
    EXPECT_NE(error_of([&] { Brain brain(file_); }).find("create_if_missing"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(file_));
    {
        Brain brain(file_, create_if_missing(PlusOptions{.memory_budget = 8'000'000}));
        EXPECT_EQ(brain.learner().options().at("memory.budget"), "8000000");
        test::teach_base(brain);
    }
    Brain again(file_, create_if_missing(PlusOptions{.memory_budget = 5}));
    EXPECT_EQ(again.class_names().size(), 4u);
    EXPECT_EQ(again.learner().options().at("memory.budget"), "8000000") << "an existing brain keeps its own";
    const std::string other = error_of([&] { Brain(file_, create_if_missing(FearNetOptions{})); });
    EXPECT_NE(other.find("fearnet-plus, not fearnet"), std::string::npos) << other;
    EXPECT_EQ(Brain(file_).class_names().size(), 4u);
}

TEST_F(BrainInterface, typed_options_are_checked_as_texts_are) {
    EXPECT_THROW(Brain(PlusOptions{.covariance_strength = -3}), Error);
    FearNetOptions options;
    options.network.hidden = {20, 10};
    options.training.rate = 0.001953125;
    const Brain brain(options);
    EXPECT_EQ(brain.learner().name(), "fearnet");
    EXPECT_EQ(brain.learner().options(), options_as_text(options));
    EXPECT_EQ(brain.learner().options().at("amygdala.max_steps"), "0") << "a name means the same everywhere";
    EXPECT_EQ(Brain().learner().name(), "fearnet-plus");
}

TEST_F(BrainInterface, without_a_file_a_brain_does_all_that_one_with_a_file_does) {
    Brain scratch, filed(file_, create_if_missing());
    for (Brain* brain : {&scratch, &filed}) {
        test::teach_base(*brain);
        test::teach_more(*brain, 4);
        brain->rename("class 0", "owl");
        brain->merge("class 1", "class 2");
        EXPECT_TRUE(brain->sleep());
        test::teach_more(*brain, 5);
        EXPECT_THROW(brain->forget("class 2", [](const ProgressEvent&) { return false; }), Cancelled);
        brain->forget("class 2");
        EXPECT_EQ(brain->info().history.size(), 8u);
    }
    EXPECT_EQ(scratch.path(), "");
    EXPECT_EQ(scratch.info().file_bytes, 0u);
    EXPECT_FALSE(scratch.refresh());
    EXPECT_EQ(scratch.labels(probe_.x), filed.labels(probe_.x));
    scratch.copy_to(folder_ / "kept");
    EXPECT_TRUE(check_brain(folder_ / "kept").empty());
    const Brain kept(folder_ / "kept");
    EXPECT_EQ(kept.labels(probe_.x), scratch.labels(probe_.x));
    EXPECT_EQ(kept.info().history.size(), 8u);
}

TEST_F(BrainInterface, one_row_is_answered_as_it_is_among_others) {
    Brain brain;
    test::teach_base(brain);
    brain.learn(test::blobs(4, 1, 10, kWidth, 3).x, "owl");
    const std::vector<BrainAnswer> all = brain.predict(probe_.x);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::vector<float> row(probe_.x.row(i), probe_.x.row(i) + kWidth);
        const BrainAnswer one = brain.predict(row);
        EXPECT_EQ(one.label(), all[i].label());
        EXPECT_NEAR(one.probability(), all[i].probability(), 1e-5);
        EXPECT_EQ(one.top(2).front().name, one.label());
        EXPECT_FALSE(brain.explain(row)) << "a fearnet-plus has nothing to say";
    }
    EXPECT_EQ(brain.predict(MatrixView(nullptr, 0, kWidth)).size(), 0u);
    EXPECT_NE(error_of([&] { brain.predict(std::vector<float>(kWidth + 1)); }).find("13 features"),
              std::string::npos);
    EXPECT_NE(error_of([] { Brain().predict(std::vector<float>(3)); }).find("0 classes"), std::string::npos);
}

TEST_F(BrainInterface, a_learner_with_two_memories_explains_its_answers) {
    Brain brain(test::quick_brain());
    test::teach_base(brain);
    test::teach_more(brain, 4);
    const std::vector<BrainExplanation> all = brain.explain(probe_.x);
    const std::vector<std::string> labels = brain.labels(probe_.x);
    ASSERT_EQ(all.size(), labels.size());
    std::size_t recent = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].label, labels[i]);
        recent += all[i].memory == Memory::recent;
    }
    EXPECT_GT(recent, 5u);
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::ostringstream text;
        text << brain.explain(MatrixView(probe_.x).row_span(i)).value();
        if (all[i].memory != Memory::recent) continue;
        EXPECT_EQ(text.str().find("class 4, from the recent memory; recent: class 4 "), 0u) << text.str();
    }
}

}  // namespace
}  // namespace fearnet
