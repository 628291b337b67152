#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/learners/fearnet/answers.hpp"
#include "core/learners/fearnet/choose_memory.hpp"
#include "core/learners/fearnet/fearnet.hpp"
#include "fearnet/registry.hpp"
#include "support/accuracy.hpp"
#include "support/blobs.hpp"
#include "support/quick_fearnet.hpp"

namespace fearnet {
namespace {

using test::accuracy;
using test::quick;

constexpr std::size_t kWidth = 24;

class Answers : public testing::Test {
  protected:
    void SetUp() override { cortex_.fit(test::blobs(0, 4, 40, kWidth, 1), options_, Rng(1), {}); }
    void store(std::size_t first, std::size_t classes, std::size_t rows) {
        recent_.store(test::blobs(first, classes, rows, kWidth, 2));
        router_.fit(recent_, cortex_, options_, Rng(3), {});
    }
    TwoMemories memories() const { return {recent_, cortex_, router_, options_.hippocampus}; }

    FearNetOptions options_ = quick();
    PrefrontalCortex cortex_;
    Hippocampus recent_;
    Amygdala router_;
    // Far from every class too, so that the memories disagree.
    Examples probe_ = test::blobs(0, 8, 25, kWidth, 5, 1.2);
};

TEST_F(Answers, of_disjoint_memories_follow_the_psi_rule) {
    store(4, 2, 30);
    int recent = 0;
    for (const Explanation& e : explain_rows(memories(), probe_.x)) {
        const MemoryChoice choice = choose_memory(e.recent_probability, e.router, e.consolidated_probability);
        EXPECT_EQ(e.memory, choice.memory);
        EXPECT_EQ(e.label, e.memory == Memory::recent ? e.recent_label : e.consolidated_label);
        recent += e.memory == Memory::recent;
    }
    EXPECT_GT(recent, 20) << "both memories have to answer somewhere";
    EXPECT_LT(recent, 180);
}

// Classes 0 .. 5 with 2 .. 5 recent and 0 .. 3 consolidated: the mixture, written out.
TEST_F(Answers, add_what_both_memories_say_of_a_class_they_share) {
    store(2, 4, 20);
    const std::vector<ClassId> classes{ClassId{0}, ClassId{1}, ClassId{2},
                                       ClassId{3}, ClassId{4}, ClassId{5}};
    const Matrix p = mixed_probabilities(memories(), classes, probe_.x);
    const auto explained = explain_rows(memories(), probe_.x);
    Matrix near = recent_.distances(probe_.x), codes, old;
    Hippocampus::to_probabilities(near, options_.hippocampus);
    cortex_.encode(probe_.x, codes);
    cortex_.probabilities_of_codes(codes, old);
    const auto a = router_.recent_probability(codes);
    int passed = 0;
    for (std::size_t i = 0; i < probe_.size(); ++i) {
        std::size_t best = 0;
        for (std::size_t c = 0; c < 6; ++c) {
            const double expected = (c >= 2 ? a[i] * static_cast<double>(near(i, c - 2)) : 0.0) +
                                    (c < 4 ? (1 - a[i]) * static_cast<double>(old(i, c)) : 0.0);
            EXPECT_NEAR(p(i, c), expected, 1e-6);
            if (p(i, c) > p(i, best)) best = c;
        }
        const Explanation& e = explained[i];
        EXPECT_EQ(e.label, static_cast<ClassId>(best));
        const std::size_t label = static_cast<std::size_t>(index_of(e.label));
        const double given_recent = label >= 2 ? a[i] * static_cast<double>(near(i, label - 2)) : 0;
        const double given_old = label < 4 ? (1 - a[i]) * static_cast<double>(old(i, label)) : 0;
        EXPECT_EQ(e.memory, given_recent > given_old ? Memory::recent : Memory::consolidated);
        const MemoryChoice psi = choose_memory(e.recent_probability, e.router, e.consolidated_probability);
        passed += e.label != (psi.memory == Memory::recent ? e.recent_label : e.consolidated_label);
    }
    EXPECT_GT(passed, 0) << "no row where the sum decides";
}

TEST_F(Answers, of_a_verdict_that_stands_alone_are_one_memorys_alone) {
    options_.amygdala.kind = RouterKind::isolation_forest;
    store(4, 2, 30);
    const std::vector<ClassId> classes{ClassId{0}, ClassId{1}, ClassId{2},
                                       ClassId{3}, ClassId{4}, ClassId{5}};
    const Matrix p = mixed_probabilities(memories(), classes, probe_.x);
    const auto explained = explain_rows(memories(), probe_.x);
    for (std::size_t i = 0; i < probe_.size(); ++i) {
        const double recent = static_cast<double>(p(i, 4)) + static_cast<double>(p(i, 5));
        ASSERT_TRUE(explained[i].router == 0 || explained[i].router == 1);
        EXPECT_NEAR(recent, explained[i].router, 1e-6);
    }
}

TEST(FearNetStart, a_session_of_one_class_waits_in_the_recent_memory_for_others) {
    FearNet learner(quick(), 1);
    learner.learn(test::blobs(0, 1, 20, kWidth, 1));
    EXPECT_EQ(learner.width(), kWidth);
    EXPECT_EQ(learner.classes(), std::vector<ClassId>{ClassId{0}});
    EXPECT_TRUE(learner.consolidated_classes().empty());
    const MemoryUse before = learner.memory();
    learner.sleep();
    EXPECT_EQ(learner.memory(), before) << "one class is not enough, and must not be lost";
    learner.learn(test::blobs(1, 3, 20, kWidth, 2));
    EXPECT_TRUE(learner.consolidated_classes().empty());
    const Examples seen = test::blobs(0, 4, 20, kWidth, 9);
    EXPECT_GE(accuracy(learner, seen), 0.95);
    for (const Explanation& e : learner.explain(seen.x)) {
        EXPECT_EQ(e.memory, Memory::recent);
        EXPECT_EQ(e.router, 1);
    }
    const auto copy = restore_learner(learner.save());
    EXPECT_EQ(copy->width(), kWidth);
    EXPECT_EQ(copy->predict(seen.x), learner.predict(seen.x));
    learner.sleep();
    copy->sleep();
    EXPECT_EQ(learner.consolidated_classes().size(), 4u);
    EXPECT_TRUE(learner.recent_classes().empty());
    EXPECT_EQ(learner.memory().at("examples"), 0u);
    EXPECT_GE(accuracy(learner, seen), 0.9);
    EXPECT_EQ(copy->predict(seen.x), learner.predict(seen.x));
    learner.learn(test::blobs(4, 1, 20, kWidth, 3));
    EXPECT_GE(accuracy(learner, test::blobs(0, 5, 20, kWidth, 8)), 0.85);
}

TEST(FearNetStart, a_cancelled_call_without_base_knowledge_leaves_no_trace) {
    const Progress stop = [](const ProgressEvent&) { return false; };
    FearNet learner(quick(), 1);
    EXPECT_THROW(learner.learn(test::blobs(0, 1, 20, kWidth, 1), stop), Cancelled);
    EXPECT_TRUE(learner.classes().empty());
    learner.learn(test::blobs(0, 1, 20, kWidth, 1));
    learner.learn(test::blobs(1, 1, 20, kWidth, 1));
    EXPECT_THROW(learner.sleep(stop), Cancelled);
    EXPECT_EQ(learner.recent_classes().size(), 2u);
    EXPECT_TRUE(learner.consolidated_classes().empty());
}

TEST(FearNetStart, one_class_is_enough_when_the_option_says_so) {
    FearNetOptions options = quick();
    options.training.base_classes = 1;
    FearNet learner(options, 1);
    learner.learn(test::blobs(0, 1, 20, kWidth, 1));
    EXPECT_EQ(learner.consolidated_classes().size(), 1u);
    EXPECT_TRUE(learner.recent_classes().empty());
}

}  // namespace
}  // namespace fearnet
