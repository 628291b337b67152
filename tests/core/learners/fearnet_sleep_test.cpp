// How long a sleep takes, and what it does with classes that were met again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/learners/fearnet/amygdala.hpp"
#include "core/learners/fearnet/consolidation.hpp"
#include "core/learners/fearnet/fearnet.hpp"
#include "core/learners/fearnet/replay.hpp"
#include "fearnet/registry.hpp"
#include "support/accuracy.hpp"
#include "support/blobs.hpp"
#include "support/quick_fearnet.hpp"

namespace fearnet {
namespace {

using test::accuracy;
using test::quick;

constexpr std::size_t kWidth = 24;

// Every look at it takes a second: a training step takes two, whatever the machine is busy with.
class TickingClock {
  public:
    TimeLimit limit(double seconds) {
        return TimeLimit(seconds, [this] { return seconds_ += 1; });
    }
    double seconds() const { return seconds_; }

  private:
    double seconds_ = 0;
};

// The share of rows whose class the network gives the largest probability.
double network_accuracy(const PrefrontalCortex& cortex, const Examples& examples) {
    Matrix codes, p;
    cortex.encode(examples.x, codes);
    cortex.probabilities_of_codes(codes, p);
    double right = 0;
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const auto best = std::max_element(p.row(i), p.row(i) + p.cols()) - p.row(i);
        right += cortex.classes()[static_cast<std::size_t>(best)] == examples.labels[i];
    }
    return right / static_cast<double>(examples.size());
}

FearNet with_something_recent(FearNetOptions options) {
    FearNet learner(options, 1);
    learner.learn(test::blobs(0, 5, 40, kWidth, 1));
    learner.learn(test::blobs(5, 1, 40, kWidth, 2));
    return learner;
}

TEST(SleepEffort, gives_the_number_of_epochs) {
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

TEST(SleepEffort, gives_the_epochs_of_base_knowledge_that_waited) {
    FearNet learner(quick(), 1);
    learner.learn(test::blobs(0, 1, 20, kWidth, 1));
    learner.learn(test::blobs(1, 1, 20, kWidth, 1));
    std::size_t reports = 0;
    learner.sleep({2, 0}, [&](const ProgressEvent&) { return ++reports, true; });
    EXPECT_EQ(reports, 2u);
}

// 100,000 epochs would take minutes.
TEST(SleepEffort, ends_a_long_sleep) {
    FearNetOptions options = quick();
    options.sleep.epochs = 100000;
    FearNet learner = with_something_recent(options);
    std::size_t done = 0, total = 0;
    learner.sleep({0, 0.05}, [&](const ProgressEvent& e) {
        if (e.phase == "sleep") {
            EXPECT_GE(e.done, done);
            done = e.done, total = e.total;
        }
        return true;
    });
    EXPECT_EQ(total, 100000u);
    EXPECT_EQ(done, total);
    EXPECT_TRUE(learner.recent_classes().empty());
}

TEST(SleepEffort, ends_the_fit_of_base_knowledge_that_waited) {
    FearNetOptions options = quick();
    options.training.base_epochs = 100000;
    FearNet waiting(options, 1);
    waiting.learn(test::blobs(0, 1, 20, kWidth, 1));
    waiting.learn(test::blobs(1, 2, 20, kWidth, 1));
    waiting.sleep({0, 0.05});
    EXPECT_EQ(waiting.consolidated_classes().size(), 3u);
}

TEST(Pace, falls_with_the_epochs_without_a_limit_and_reaches_its_end_with_one) {
    Pace plain(RateDecay::linear, 10, 4);
    EXPECT_DOUBLE_EQ(plain.rate_share(), 1);
    for (int i = 0; i < 4; ++i) plain.finish_step();
    EXPECT_DOUBLE_EQ(plain.rate_share(), 0.9);
    EXPECT_EQ(plain.epochs_done(), 1u);
    EXPECT_FALSE(plain.over());

    double now = 0;
    const TimeLimit limit(10, [&] { return now; });
    Pace timed(RateDecay::linear, 1000000, 4, limit);
    for (int i = 0; i < 4; ++i) timed.finish_step();
    now = 7.5;
    EXPECT_DOUBLE_EQ(timed.rate_share(), 0.25);
    EXPECT_EQ(timed.epochs_done(), 750000u);

    now = 11;
    Pace hurried(RateDecay::linear, 10, 4, limit);  // no time left at all
    for (int i = 0; i < 4; ++i) {
        EXPECT_FALSE(hurried.over()) << "one epoch is made";
        now += 1;
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

class TimedTraining : public MetAgain {
  protected:
    static constexpr double kLimit = 2000;
    TickingClock clock_;
};

TEST_F(TimedTraining, a_long_sleep_ends_in_time_with_its_classes_learned) {
    options_.sleep.epochs = 100000;
    recent_.store(test::blobs(5, 1, 40, kWidth, 2));
    std::size_t done = 0, total = 0;
    double trained = 0, ended = 0, statistics = 0;
    const auto watch = [&](const ProgressEvent& e) {
        if (e.phase == "sleep") done = e.done, total = e.total, trained = ended, ended = clock_.seconds();
        if (e.phase == "statistics") statistics = clock_.seconds();
        return true;
    };
    const PrefrontalCortex after =
        consolidate(cortex_, recent_, options_, Rng(2), watch, clock_.limit(kLimit));
    EXPECT_EQ(done, total);
    EXPECT_LT(trained, kLimit) << "the last epoch but one ended in time";
    EXPECT_GT(ended, 0.9 * kLimit) << "the time was used";
    EXPECT_GE(statistics, ended);
    EXPECT_GE(network_accuracy(after, test::blobs(0, 6, 20, kWidth, 9)), 0.9);
}

TEST_F(TimedTraining, a_long_fit_of_base_knowledge_ends_in_time_with_its_classes_learned) {
    options_.training.base_epochs = 100000;
    PrefrontalCortex cortex;
    cortex.fit(test::blobs(0, 3, 20, kWidth, 1), options_, Rng(1), {}, clock_.limit(kLimit));
    EXPECT_GT(clock_.seconds(), 0.9 * kLimit);
    EXPECT_LT(clock_.seconds(), 1.1 * kLimit);
    EXPECT_GE(network_accuracy(cortex, test::blobs(0, 3, 20, kWidth, 9)), 0.9);
}

TEST_F(TimedTraining, sets_aside_the_time_of_the_statistics) {
    constexpr double kPerClass = 100;  // its third look finds that the statistics of a class took so long
    int looks = 0;
    double now = 0, ended = 0;
    const TimeLimit limit(kLimit, [&] { return now += ++looks == 3 ? kPerClass : 1; });
    options_.sleep.epochs = 100000;
    recent_.store(test::blobs(5, 1, 40, kWidth, 2));
    const auto watch = [&](const ProgressEvent& e) {
        if (e.phase == "sleep") ended = now;
        return true;
    };
    consolidate(cortex_, recent_, options_, Rng(2), watch, limit);
    EXPECT_NEAR(ended, kLimit - 6 * kPerClass, 20) << "six classes; an epoch takes less than 20 seconds";
}

TEST_F(MetAgain, statistics_are_the_weighted_mean_of_old_and_new) {
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

TEST_F(MetAgain, the_router_is_not_taught_against_a_class_that_is_recent_too) {
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

TEST_F(MetAgain, with_the_same_classes_in_both_memories_both_count_the_same) {
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

TEST_F(MetAgain, a_new_class_is_found_among_all_the_old_ones) {
    options_.training.base_epochs = options_.sleep.epochs = 400;  // ten rows a class: few steps in each
    FearNet learner(options_, 1);
    learner.learn(test::blobs(0, 5, 40, kWidth, 1));
    learner.learn(test::blobs(0, 6, 10, kWidth, 3));
    const Examples seen = test::blobs(0, 6, 20, kWidth, 9);
    EXPECT_GE(accuracy(learner, seen), 0.9);
    learner.sleep();
    EXPECT_GE(accuracy(learner, seen), 0.9);
}

TEST_F(MetAgain, neither_the_class_nor_the_others_get_worse) {
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

TEST_F(MetAgain, the_oracle_takes_the_right_answer_of_either_memory) {
    FearNet learner(options_, 1);
    learner.learn(test::blobs(0, 5, 40, kWidth, 1));
    Examples misplaced = test::blobs(9, 1, 10, kWidth, 3);
    for (ClassId& id : misplaced.labels) id = ClassId{1};
    learner.learn(misplaced);
    learner.learn(test::blobs(5, 2, 30, kWidth, 2));
    const Examples e = test::blobs(1, 1, 60, kWidth, 8, 1.0);
    const auto explained = learner.explain(e.x);
    const auto oracle = learner.oracle_answers(explained, e.labels);
    int only_old = 0;
    for (std::size_t i = 0; i < e.size(); ++i) {
        const bool recent = explained[i].recent_label == ClassId{1};
        const bool old = explained[i].consolidated_label == ClassId{1};
        EXPECT_EQ(oracle[i] == ClassId{1}, recent || old);
        only_old += old && !recent;
    }
    EXPECT_GT(only_old, 0);
}

}  // namespace
}  // namespace fearnet
