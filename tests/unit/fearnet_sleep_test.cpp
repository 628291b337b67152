// How long a sleep takes, and what it does with classes that were met again.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "fearnet/learners/fearnet.hpp"
#include "learners/fearnet/amygdala.hpp"
#include "learners/fearnet/consolidation.hpp"
#include "learners/fearnet/replay.hpp"
#include "support/accuracy.hpp"
#include "support/blobs.hpp"
#include "support/quick_fearnet.hpp"

namespace fearnet {
namespace {

using test::accuracy;
using test::quick;

constexpr std::size_t kWidth = 24;

double seconds_of_sleep(Learner& learner, const SleepEffort& effort, const Progress& progress = {}) {
    const auto start = std::chrono::steady_clock::now();
    learner.sleep(effort, progress);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

FearNet with_something_recent(FearNetOptions options) {
    FearNet learner(options, 1);
    learner.learn(test::blobs(0, 5, 40, kWidth, 1));
    learner.learn(test::blobs(5, 1, 40, kWidth, 2));
    return learner;
}

TEST(SleepEffort, GivesTheNumberOfEpochs) {
    FearNetOptions options = quick();
    options.sleep.min_steps = 1000;
    for (std::int64_t epochs : {1, 3}) {
        FearNet learner = with_something_recent(options);
        std::size_t reports = 0, total = 0;
        learner.sleep({epochs, 0}, [&](const ProgressEvent& e) {
            if (e.phase == "sleep") ++reports, total = e.total;
            return true;
        });
        EXPECT_EQ(reports, static_cast<std::size_t>(epochs));
        EXPECT_EQ(total, reports);
    }
}

TEST(SleepEffort, GivesTheEpochsOfBaseKnowledgeThatWaited) {
    FearNet learner(quick(), 1);
    learner.learn(test::blobs(0, 1, 20, kWidth, 1));
    learner.learn(test::blobs(1, 1, 20, kWidth, 1));
    std::size_t reports = 0;
    learner.sleep({2, 0}, [&](const ProgressEvent&) { return ++reports, true; });
    EXPECT_EQ(reports, 2u);
}

// 100,000 epochs would take minutes.
TEST(SleepEffort, EndsALongSleepInTimeWithItsRateFallenAndItsClassesLearned) {
    FearNetOptions options = quick();
    options.sleep.epochs = options.training.base_epochs = 100000;
    FearNetOptions short_base = options;
    short_base.training.base_epochs = 80;
    FearNet learner = with_something_recent(short_base);
    std::size_t done = 0, total = 0;
    const double seconds = seconds_of_sleep(learner, {0, 1}, [&](const ProgressEvent& e) {
        if (e.phase == "sleep") {
            EXPECT_GE(e.done, done);
            done = e.done, total = e.total;
        }
        return true;
    });
    EXPECT_GT(seconds, 0.5);
    EXPECT_LT(seconds, 2.5);
    EXPECT_EQ(done, total);
    EXPECT_TRUE(learner.recent_classes().empty());
    EXPECT_GE(accuracy(learner, test::blobs(0, 6, 20, kWidth, 9)), 0.9);

    FearNet waiting(options, 1);
    waiting.learn(test::blobs(0, 1, 20, kWidth, 1));
    waiting.learn(test::blobs(1, 2, 20, kWidth, 1));
    EXPECT_LT(seconds_of_sleep(waiting, {0, 1}), 2.5);
    EXPECT_GE(accuracy(waiting, test::blobs(0, 3, 20, kWidth, 9)), 0.9);
}

TEST(SleepEffort, SetsAsideTheTimeOfTheStatistics) {
    FearNetOptions options = quick();
    options.statistics.refresh_samples = 30000;  // so that they take most of it
    FearNet learner = with_something_recent(options);
    const auto twin = restore_learner(learner.save());
    const double statistics = seconds_of_sleep(learner, {1, 0});
    std::size_t last = 0;
    const double limit = 2 * statistics + 0.2;
    const double seconds = seconds_of_sleep(*twin, {1000000, limit}, [&](const ProgressEvent& e) {
        if (e.phase == "statistics") last = e.done;
        return true;
    });
    EXPECT_EQ(last, 6u);
    EXPECT_LT(seconds, 1.5 * limit + 0.3) << "statistics alone take " << statistics;
}

TEST(Pace, FallsWithTheEpochsWithoutALimitAndReachesItsEndWithOne) {
    Pace plain(RateDecay::linear, 10, 4);
    EXPECT_DOUBLE_EQ(plain.rate_share(), 1);
    for (int i = 0; i < 4; ++i) plain.finish_step();
    EXPECT_DOUBLE_EQ(plain.rate_share(), 0.9);
    EXPECT_EQ(plain.epochs_done(), 1u);
    EXPECT_FALSE(plain.over());

    Pace hurried(RateDecay::linear, 10, 4, -1);  // no time left at all
    for (int i = 0; i < 4; ++i) {
        EXPECT_FALSE(hurried.over()) << "one epoch is made";
        hurried.finish_step();
    }
    EXPECT_TRUE(hurried.over());
    EXPECT_EQ(hurried.epochs_done(), 10u);
    EXPECT_DOUBLE_EQ(hurried.rate_share(), 0.01);
}

// Class 1 at first as blobs have it, then moved.
Examples moved(std::size_t rows, std::uint64_t seed) {
    Examples e = test::blobs(1, 1, rows, kWidth, seed);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < 6; ++j) e.x(i, j) += 0.15f;
    scale_rows_to_unit_length(e.x);
    return e;
}

class MetAgain : public testing::Test {
  protected:
    void SetUp() override { cortex_.fit(test::blobs(0, 5, 40, kWidth, 1), options_, Rng(1), {}); }
    FearNetOptions options_ = quick();
    PrefrontalCortex cortex_;
    Hippocampus recent_;
};

TEST_F(MetAgain, StatisticsAreTheWeightedMeanOfOldAndNew) {
    recent_.store(moved(20, 3));
    options_.sleep.epochs = 0;  // the encoder stays, so that nothing drifts
    options_.statistics.refresh_samples = 20000;
    Matrix codes, decoded;
    cortex_.encode(recent_.contents()[0].rows, codes);
    const math::Gaussian fresh = math::fit_gaussian(codes, false);
    const math::Gaussian& old = cortex_.statistics()[1].codes;
    for (double recency : {1.0, 2.0, 10.0}) {
        options_.statistics.recency = recency;
        const PrefrontalCortex after = consolidate(cortex_, recent_, options_, Rng(2), {});
        EXPECT_EQ(after.statistics()[1].examples, 60);
        EXPECT_EQ(after.statistics()[0].examples, 40);
        const double share = recency * 20 / (40 + recency * 20);
        for (std::size_t j = 0; j < codes.cols(); ++j) {
            const double expected = (1 - share) * static_cast<double>(old.mean(0, j)) +
                                    share * static_cast<double>(fresh.mean(0, j));
            EXPECT_NEAR(after.statistics()[1].codes.mean(0, j), expected, 0.02) << "recency " << recency;
        }
    }
}

TEST_F(MetAgain, TheRouterIsNotTaughtAgainstAClassThatIsRecentToo) {
    recent_.store(test::blobs(1, 1, 20, kWidth, 3));
    recent_.store(test::blobs(5, 1, 30, kWidth, 4));
    Replay all(recent_, cortex_, {}, Rng(1)), old(recent_, cortex_, {.only_old = true}, Rng(1));
    EXPECT_EQ(all.size(), 50u + 5 * 25);
    EXPECT_EQ(old.size(), 50u + 4 * 25);
    std::vector<std::size_t> items(100);
    for (std::size_t i = 0; i < 100; ++i) items[i] = 50 + i;
    Matrix x(100, kWidth);
    std::vector<Replay::Origin> origins(100);
    old.fill(items, 0, x, origins);
    for (const Replay::Origin& o : origins) EXPECT_NE(o.index, 1u);
}

TEST_F(MetAgain, WithTheSameClassesInBothMemoriesBothCountTheSame) {
    FearNet learner(options_, 1);
    learner.learn(test::blobs(0, 5, 40, kWidth, 1));
    learner.learn(test::blobs(0, 5, 10, kWidth, 3));
    const Examples seen = test::blobs(0, 5, 20, kWidth, 9);
    for (const Explanation& e : learner.explain(seen.x)) EXPECT_EQ(e.router, 0.5);
    EXPECT_GE(accuracy(learner, seen), 0.95);
    EXPECT_EQ(restore_learner(learner.save())->predict(seen.x), learner.predict(seen.x));
    learner.sleep();
    EXPECT_GE(accuracy(learner, seen), 0.95);
}

TEST_F(MetAgain, ANewClassIsFoundAmongAllTheOldOnes) {
    options_.training.base_epochs = options_.sleep.epochs = 400;  // ten rows a class: few steps in each
    FearNet learner(options_, 1);
    learner.learn(test::blobs(0, 5, 40, kWidth, 1));
    learner.learn(test::blobs(0, 6, 10, kWidth, 3));
    const Examples seen = test::blobs(0, 6, 20, kWidth, 9);
    EXPECT_GE(accuracy(learner, seen), 0.9);
    learner.sleep();
    EXPECT_GE(accuracy(learner, seen), 0.9);
}

TEST_F(MetAgain, NeitherTheClassNorTheOthersGetWorse) {
    FearNet learner(options_, 1);
    learner.learn(test::blobs(0, 5, 40, kWidth, 1));
    learner.learn(test::blobs(5, 1, 30, kWidth, 2));
    const Examples again = test::blobs(1, 1, 40, kWidth, 9), others = test::blobs(0, 6, 40, kWidth, 8);
    const double again_before = accuracy(learner, again), others_before = accuracy(learner, others);
    learner.learn(test::blobs(1, 1, 25, kWidth, 3));
    EXPECT_GE(accuracy(learner, again), again_before - 0.05);
    EXPECT_GE(accuracy(learner, others), others_before - 0.05);
    learner.sleep();
    EXPECT_GE(accuracy(learner, again), again_before - 0.05);
    EXPECT_GE(accuracy(learner, others), others_before - 0.05);
    // What it has become is learned as well.
    learner.learn(moved(25, 4));
    learner.sleep();
    EXPECT_GE(accuracy(learner, moved(40, 5)), 0.9);
    EXPECT_GE(accuracy(learner, others), others_before - 0.05);
}

TEST_F(MetAgain, TheOracleTakesTheRightAnswerOfEitherMemory) {
    FearNet learner(options_, 1);
    learner.learn(test::blobs(0, 5, 40, kWidth, 1));
    Examples misplaced = test::blobs(9, 1, 10, kWidth, 3);
    for (ClassId& id : misplaced.labels) id = ClassId{1};
    learner.learn(misplaced);
    learner.learn(test::blobs(5, 2, 30, kWidth, 2));
    const Examples e = test::blobs(1, 1, 60, kWidth, 8, 1.0);
    const auto oracle = learner.predict_with_oracle(e.x, e.labels);
    ASSERT_TRUE(oracle);
    const auto explained = learner.explain(e.x);
    int only_old = 0;
    for (std::size_t i = 0; i < e.size(); ++i) {
        const bool recent = explained[i].recent_label == ClassId{1};
        const bool old = explained[i].consolidated_label == ClassId{1};
        EXPECT_EQ((*oracle)[i] == ClassId{1}, recent || old);
        only_old += old && !recent;
    }
    EXPECT_GT(only_old, 0);
}

}  // namespace
}  // namespace fearnet
