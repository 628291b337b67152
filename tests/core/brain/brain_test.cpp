// A brain in a file: what is promised of it while nothing goes wrong.
#include "fearnet/brain.hpp"

#include <gtest/gtest.h>

#include "fearnet/registry.hpp"
#include "support/brains.hpp"

namespace fearnet {
namespace {

using test::Folder;
using test::names_of;

class BrainTest : public testing::Test {
  protected:
    Brain taught() {
        Brain brain(file_, create_new(test::quick_brain()));
        test::teach_base(brain);
        test::teach_more(brain, 4, 2);
        return brain;
    }
    static bool same(const Matrix& a, const Matrix& b) {
        return a.rows() == b.rows() && a.cols() == b.cols() &&
               std::equal(a.data(), a.data() + a.size(), b.data());
    }

    Folder folder_;
    std::filesystem::path file_ = folder_ / "a.brain";
    Examples probe_ = test::blobs(0, 6, 20, 12, 9);
};

TEST_F(BrainTest, answers_the_same_bits_after_closing_and_opening) {
    Matrix before, after_sleep;
    {
        Brain brain = taught();
        before = brain.probabilities(probe_.x);
    }
    {
        Brain brain(file_);
        EXPECT_TRUE(same(brain.probabilities(probe_.x), before));
        EXPECT_TRUE(brain.sleep());
        after_sleep = brain.probabilities(probe_.x);
    }
    EXPECT_TRUE(same(Brain(file_, BrainAccess::read).probabilities(probe_.x), after_sleep));
}

TEST_F(BrainTest, learning_on_after_opening_equals_never_having_closed) {
    {
        Brain brain(file_, create_new(test::quick_brain()));
        test::teach_base(brain);
    }
    for (std::int32_t c : {4, 5}) {
        Brain brain(file_);
        test::teach_more(brain, c);
    }
    Brain(file_).sleep();
    Brain other(folder_ / "other", create_new(test::quick_brain()));
    test::teach_base(other);
    test::teach_more(other, 4, 2);
    other.sleep();
    EXPECT_TRUE(same(Brain(file_).probabilities(probe_.x), other.probabilities(probe_.x)));
}

TEST_F(BrainTest, knows_what_it_was_taught_by_name) {
    Brain brain = taught();
    const std::vector<std::string> answers = brain.labels(probe_.x), truth = names_of(probe_);
    std::size_t right = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) right += answers[i] == truth[i];
    EXPECT_GE(right, truth.size() * 8 / 10);
    const std::vector<BrainAnswer> ranked = brain.predict(probe_.x);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        ASSERT_EQ(ranked[i].top(3).size(), 3u);
        EXPECT_EQ(ranked[i].label(), answers[i]);
        EXPECT_GE(ranked[i].probability(), ranked[i].top(2)[1].probability);
    }
    EXPECT_EQ(ranked[0].top(100).size(), 6u);
}

TEST_F(BrainTest, tells_where_each_class_lives_and_when_sleep_is_due) {
    BrainOptions options = test::quick_brain();
    options.settings.due_sessions = 2;
    Brain brain(file_, create_new(options));
    test::teach_base(brain);
    const Examples five = test::blobs(4, 1, 25, 12, 3);
    EXPECT_EQ(brain.learn(five.x, names_of(five)).sleep_due, std::nullopt);
    const LearnOutcome again = brain.learn(five.x, names_of(five));
    EXPECT_NE(again.sleep_due.value().find("2 sessions"), std::string::npos) << *again.sleep_due;
    EXPECT_EQ(brain.sleep_due(), again.sleep_due);
    EXPECT_EQ(again.known_classes, std::vector<std::string>{"class 4"});
    BrainInfo info = brain.info();
    ASSERT_EQ(info.classes.size(), 5u);
    EXPECT_TRUE(info.classes[0].consolidated && !info.classes[0].recent);
    EXPECT_TRUE(!info.classes[4].consolidated && info.classes[4].recent);
    EXPECT_EQ(info.classes[4].examples, 50);
    EXPECT_EQ(info.history.size(), 4u);
    EXPECT_EQ(info.history.back().action, "learn");
    EXPECT_TRUE(brain.sleep());
    EXPECT_FALSE(brain.sleep()) << "nothing is left to consolidate";
    info = brain.info();
    EXPECT_TRUE(info.classes[4].consolidated && !info.classes[4].recent);
    EXPECT_FALSE(info.sleep_due);
    EXPECT_EQ(info.memory.at("examples"), 0u);
}

TEST_F(BrainTest, sleep_is_due_by_examples_and_by_bytes_too) {
    for (const bool bytes : {false, true}) {
        BrainOptions options = test::quick_brain();
        (bytes ? options.settings.due_bytes : options.settings.due_examples) = bytes ? 25 * 12 * 4 : 25;
        Brain brain(folder_ / (bytes ? "b" : "e"), create_new(options));
        test::teach_base(brain);
        const Examples five = test::blobs(4, 1, 24, 12, 3), one = test::blobs(4, 1, 2, 12, 4);
        EXPECT_FALSE(brain.learn(five.x.view().slice(0, 20), "new").sleep_due);
        EXPECT_TRUE(brain.learn(five.x.view().slice(0, 5), "new").sleep_due);
    }
}

TEST_F(BrainTest, renamed_and_merged_classes_answer_by_their_new_names) {
    Brain brain = taught();
    brain.rename("class 0", "owl");
    brain.merge("class 1", "class 2");
    const auto check = [&](const Brain& b) {
        const std::vector<std::string> answers = b.labels(probe_.x), names = b.class_names();
        EXPECT_EQ(names, (std::vector<std::string>{"class 2", "class 3", "class 4", "class 5", "owl"}));
        std::size_t right = 0;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const std::int32_t truth = index_of(probe_.labels[i]);
            right += answers[i] == (truth == 0   ? "owl"
                                    : truth == 1 ? "class 2"
                                                 : "class " + std::to_string(truth));
        }
        EXPECT_GE(right, answers.size() * 8 / 10);
    };
    check(brain);
    check(Brain(file_));
    EXPECT_EQ(brain.info().classes[0].parts, 2u);
    EXPECT_THROW(brain.rename("owl", "class 3"), Error);
    EXPECT_THROW(brain.rename("nobody", "somebody"), Error);
    EXPECT_THROW(brain.merge("owl", "owl"), Error);
    EXPECT_THROW(brain.merge("owl", "nobody"), Error);
    check(brain);
}

TEST_F(BrainTest, many_rows_are_answered_block_by_block_as_few_are) {
    Brain brain = taught();
    brain.merge("class 1", "class 2");
    ASSERT_EQ(brain.rows_at_once(), 1024u);
    const Examples many = test::blobs(0, 5, 450, 12, 3);
    const std::vector<BrainAnswer> answers = brain.predict(many.x);
    const std::vector<std::string> labels = brain.labels(many.x);
    const Matrix probable = brain.probabilities(many.x);
    ASSERT_EQ(answers.size(), 2250u);
    ASSERT_EQ(labels.size(), 2250u);
    for (const std::size_t i : {0u, 1023u, 1024u, 1025u, 2047u, 2048u, 2249u}) {
        const MatrixView row = many.x.view().slice(i, 1);
        const BrainAnswer alone = brain.predict(row.row_span(0));
        EXPECT_EQ(labels[i], alone.label()) << i;
        const std::vector<RankedClass> top = answers[i].top(3), top_alone = alone.top(3);
        ASSERT_EQ(top.size(), 3u);
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(top[k].name, top_alone[k].name) << i;
            EXPECT_NEAR(top[k].probability, top_alone[k].probability, 1e-5) << i;
        }
        const Matrix of_row = brain.probabilities(row);
        for (std::size_t c = 0; c < probable.cols(); ++c)
            EXPECT_NEAR(probable(i, c), of_row(0, c), 1e-5f) << i;
    }
    Matrix bad = many.x;
    bad(2000, 3) = std::numeric_limits<float>::infinity();
    try {
        brain.predict(bad);
        FAIL() << "a row is infinite";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("row 2000, column 3"), std::string::npos) << error.what();
    }
}

TEST_F(BrainTest, refuses_bad_input_and_stays_as_it_was) {
    Brain brain = taught();
    const std::string bytes = test::read_bytes(file_);
    const Matrix before = brain.probabilities(probe_.x);
    const Examples e = test::blobs(7, 1, 5, 12, 3), narrow = test::blobs(7, 1, 5, 11, 3);
    EXPECT_THROW(brain.learn(e.x, {"only one label"}), Error);
    EXPECT_THROW(brain.learn(narrow.x, std::vector<std::string>(5, "x")), Error);
    EXPECT_THROW(brain.learn(e.x, std::vector<std::string>(5, "")), Error);
    EXPECT_THROW(brain.learn(e.x, std::vector<std::string>(5, "\xff\xfe")), Error);
    EXPECT_THROW(brain.learn(e.x, std::vector<std::string>(5, "a\nb")), Error);
    Matrix bad = e.x;
    bad(0, 0) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(brain.learn(bad, std::vector<std::string>(5, "x")), Error);
    EXPECT_THROW(brain.forget("nobody"), Error);
    EXPECT_THROW(brain.text_rows({"text"}), Error);
    EXPECT_THROW(
        brain.learn(e.x, std::vector<std::string>(5, "x"), [](const ProgressEvent&) { return false; }),
        Cancelled);
    EXPECT_THROW(brain.sleep({}, [](const ProgressEvent&) { return false; }), Cancelled);
    EXPECT_TRUE(same(brain.probabilities(probe_.x), before));
    EXPECT_TRUE(test::read_bytes(file_) == bytes) << "the file has changed";
    test::teach_more(brain, 6);
    EXPECT_EQ(brain.class_names().size(), 7u);
}

TEST_F(BrainTest, is_made_once_and_only_from_learners_that_go_on_learning) {
    Brain(file_, create_new(test::quick_brain()));
    EXPECT_THROW(Brain(file_, create_new(test::quick_brain())), Error);
    BrainOptions offline = test::quick_brain();
    offline.learner.learner = "offline-mlp";
    EXPECT_THROW(Brain(folder_ / "b", create_new(offline)), Error);
    EXPECT_THROW(Brain(folder_ / "no/such/folder/b", create_new(test::quick_brain())), Error);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1)
        << "nothing else is left behind";
}

TEST_F(BrainTest, any_incremental_learner_lives_in_a_brain) {
    for (const LearnerInfo& learner : learners()) {
        if (!learner.incremental) continue;
        BrainOptions options;
        options.learner.learner = learner.name;
        if (learner.name == "fearnet") options = test::quick_brain();
        if (learner.name == "fourier-lda") options.learner.settings = {{"fourier.size", "64"}};
        if (learner.name == "ranpac") options.learner.settings = {{"ranpac.size", "64"}};
        if (learner.name == "icarl")
            options.learner.settings = {{"icarl.hidden", "16,8"}, {"icarl.base_min_steps", "20"}};
        if (learner.name == "fel") options.learner.settings = {{"fel.hidden", "32"}};
        if (learner.name.starts_with("geppnet"))
            options.learner.settings = {
                {"map.side", "4"}, {"map.base_iterations", "100"}, {"readout.base_iterations", "100"}};
        const std::filesystem::path file = folder_ / learner.name;
        Matrix before;
        {
            Brain brain(file, create_new(options));
            test::teach_base(brain);
            test::teach_more(brain, 4);
            brain.sleep();
            before = brain.probabilities(probe_.x);
        }
        EXPECT_TRUE(same(Brain(file).probabilities(probe_.x), before)) << learner.name;
        EXPECT_EQ(check_brain(file), std::vector<std::string>{}) << learner.name;
    }
}

TEST_F(BrainTest, learns_text_without_any_feature_of_the_users) {
    BrainOptions options = test::quick_brain();
    options.settings.features = BrainFeatures::text;
    Brain brain(file_, create_new(options));
    const std::vector<std::string> english{"the cat sat on the mat", "what is the weather today",
                                           "this is the house", "where are the others"};
    const std::vector<std::string> german{"die Katze sitzt auf der Matte", "wie ist das Wetter heute",
                                          "das ist das Haus", "wo sind die anderen"};
    std::vector<std::string> all = english, labels(4, "english");
    all.insert(all.end(), german.begin(), german.end());
    labels.insert(labels.end(), 4, "german");
    brain.learn(brain.text_rows(all), labels);
    const auto answers =
        brain.labels(brain.text_rows({"the dog is in the house", "der Hund ist in dem Haus"}));
    EXPECT_EQ(answers, (std::vector<std::string>{"english", "german"}));
}

TEST_F(BrainTest, rows_that_a_budget_has_no_room_for_do_not_wait_for_sleep) {
    BrainOptions options;
    options.learner.settings = {{"memory.budget", "4500"}};
    Brain brain(folder_ / "small", create_new(options));
    test::teach_base(brain);
    for (std::int32_t c = 4; c < 9; ++c) test::teach_more(brain, c);
    EXPECT_TRUE(brain.learner().recent_classes().empty()) << "25 rows take more than is left";
    EXPECT_FALSE(brain.sleep()) << "nothing waits";
    EXPECT_FALSE(brain.sleep_due());
}

}  // namespace
}  // namespace fearnet
