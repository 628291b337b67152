// A learner that was taught in memory moves into a file.
#include "fearnet/brain.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "fearnet/registry.hpp"
#include "support/brains.hpp"

namespace fearnet {
namespace {

class AdoptTest : public testing::Test {
  protected:
    AdoptTest() : learner_(make_learner(test::quick_brain().learner)) {
        learner_->learn(test::blobs(0, 3, 25, 12, 1));
        learner_->learn(test::blobs(3, 1, 25, 12, 4));
    }
    std::string refusal(const std::vector<TaughtClass>& classes) {
        try {
            adopt_learner(folder_ / "refused", *learner_, classes);
        } catch (const Error& error) {
            EXPECT_FALSE(std::filesystem::exists(folder_ / "refused"));
            return error.what();
        }
        return "";
    }

    test::Folder folder_;
    std::unique_ptr<Learner> learner_;
    std::vector<TaughtClass> classes_ = {{"a", 25}, {"b", 25}, {"c", 25}, {"d", 25}};
};

TEST_F(AdoptTest, the_brain_answers_as_the_learner_and_goes_on) {
    Brain brain = adopt_learner(folder_ / "a.brain", *learner_, classes_, {}, 1);
    const Examples probe = test::blobs(0, 4, 20, 12, 9);
    const std::vector<std::string> answers = brain.labels(probe.x);
    const std::vector<ClassId> expected = learner_->predict(probe.x);
    for (std::size_t i = 0; i < probe.size(); ++i)
        EXPECT_EQ(answers[i], classes_[static_cast<std::size_t>(index_of(expected[i]))].name);
    EXPECT_EQ(brain.class_names(), (std::vector<std::string>{"a", "b", "c", "d"}));
    EXPECT_EQ(brain.info().sessions_since_sleep, 1);
    EXPECT_EQ(brain.info().classes[3].examples, 25);
    const Examples more = test::blobs(4, 1, 25, 12, 5);
    EXPECT_EQ(brain.learn(more.x, test::names_of(more)).new_classes.size(), 1u);
    EXPECT_TRUE(brain.sleep());
    EXPECT_TRUE(check_brain(folder_ / "a.brain").empty());
}

TEST_F(AdoptTest, replaces_a_brain_but_no_other_file_when_told_to) {
    const std::filesystem::path path = folder_ / "a.brain";
    adopt_learner(path, *learner_, {{"a", 25}, {"b", 25}, {"c", 25}, {"a secret", 25}});
    EXPECT_THROW(adopt_learner(path, *learner_, classes_), Error);
    Brain open(path);
    open.rename("a secret", "vanished");
    const Brain brain = adopt_learner(path, *learner_, classes_, {}, 0, true);
    EXPECT_EQ(brain.class_names(), (std::vector<std::string>{"a", "b", "c", "d"}));
    EXPECT_TRUE(open.refresh());
    EXPECT_EQ(open.class_names(), brain.class_names());
    EXPECT_TRUE(check_brain(path).empty());
    for (const char* gone : {"a secret", "vanished"})
        EXPECT_EQ(test::read_bytes(path).find(gone), std::string::npos) << gone;

    const std::filesystem::path letter = folder_ / "letter";
    std::ofstream(letter) << "dear";
    EXPECT_THROW(adopt_learner(letter, *learner_, classes_, {}, 0, true), Error);
    EXPECT_EQ(test::read_bytes(letter), "dear");
}

TEST_F(AdoptTest, refuses_names_that_do_not_fit) {
    EXPECT_NE(refusal({{"a", 1}}).find("1 names for 4 classes"), std::string::npos);
    EXPECT_NE(refusal({{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}).find("5 names for 4 classes"), std::string::npos);
    EXPECT_NE(refusal({{"a"}, {"b"}, {"c"}, {"a"}}).find("two classes are called 'a'"), std::string::npos);
    EXPECT_NE(refusal({{"a"}, {"b"}, {"c"}, {""}}), "");
    learner_ = make_learner({.learner = "offline-mlp", .preset = {}, .settings = {}});
    EXPECT_NE(refusal({}).find("cannot learn incrementally"), std::string::npos);
}

TEST_F(AdoptTest, leaves_a_file_that_exists_alone) {
    adopt_learner(folder_ / "a.brain", *learner_, classes_);
    EXPECT_THROW(adopt_learner(folder_ / "a.brain", *learner_, classes_), Error);
    EXPECT_TRUE(check_brain(folder_ / "a.brain").empty());
}

}  // namespace
}  // namespace fearnet
