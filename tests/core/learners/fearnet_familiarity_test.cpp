// How familiar rows look to FearNet.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/learners/fearnet/fearnet.hpp"
#include "fearnet/registry.hpp"
#include "support/blobs.hpp"
#include "support/memory.hpp"
#include "support/quick_fearnet.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kWidth = 24;

Examples rows_of(std::size_t first, std::size_t classes, std::size_t rows, std::uint64_t seed) {
    return test::blobs(first, classes, rows, kWidth, seed, 0.35);
}

double share_below(const std::vector<double>& p, double limit) {
    return static_cast<double>(std::count_if(p.begin(), p.end(), [&](double v) { return v < limit; })) /
           static_cast<double>(p.size());
}

TEST(FearNetFamiliarity, sleep_leaves_it_as_it_was) {
    FearNet learner(test::quick());
    learner.learn(rows_of(0, 4, 30, 1));
    learner.learn(rows_of(4, 2, 30, 2));
    const Examples probe = rows_of(0, 8, 5, 3);
    const std::vector<double> before = learner.familiarity(probe.x);
    learner.sleep();
    EXPECT_EQ(learner.familiarity(probe.x), before);
}

TEST(FearNetFamiliarity, a_first_session_that_waits_for_sleep_has_it_too) {
    FearNet learner(test::quick());
    learner.learn(rows_of(0, 1, 40, 1));
    ASSERT_TRUE(learner.consolidated_classes().empty());
    const std::vector<double> own = learner.familiarity(rows_of(0, 1, 100, 2).x);
    ASSERT_EQ(own.size(), 100u);
    EXPECT_LT(share_below(own, 0.05), 0.2);
    EXPECT_GT(share_below(learner.familiarity(rows_of(3, 2, 50, 3).x), 0.05), 0.9);
}

TEST(FearNetFamiliarity, is_given_up_if_the_budget_has_no_room_for_it) {
    FearNetOptions options = test::quick();
    const auto teach = [&](FearNet& learner) {
        learner.learn(rows_of(0, 4, 30, 1));
        learner.learn(rows_of(4, 1, 30, 2));
        learner.sleep();
    };
    FearNet free(options);
    teach(free);
    const std::size_t all = test::total_memory(free);
    options.memory.budget = static_cast<std::int64_t>(2 * all);
    FearNet roomy(options);
    teach(roomy);
    EXPECT_FALSE(roomy.familiarity(rows_of(0, 1, 2, 3).x).empty());
    options.memory.budget = static_cast<std::int64_t>(all - 100);
    options.memory.recent_share = 0;
    FearNet narrow(options);
    try {
        teach(narrow);
    } catch (const Error&) {  // the router does not fit beside the recent rows: what is there is enough
    }
    EXPECT_LE(test::total_memory(narrow), static_cast<std::size_t>(options.memory.budget));
    EXPECT_EQ(narrow.class_p_values(rows_of(0, 1, 2, 3).x).rows() == 0,
              narrow.familiarity(rows_of(0, 1, 2, 3).x).empty());
}

// As brains of earlier versions are.
TEST(FearNetFamiliarity, a_learner_whose_rows_were_never_asked_does_not_estimate_it) {
    FearNet learner(test::quick());
    learner.learn(rows_of(0, 4, 30, 1));
    State state = learner.save();
    std::erase_if(state.arrays, [](const auto& entry) {
        return entry.first.starts_with("open.") || entry.first.starts_with("familiar.");
    });
    const std::unique_ptr<Learner> old = restore_learner(state);
    const Examples probe = rows_of(0, 4, 5, 3);
    EXPECT_TRUE(old->familiarity(probe.x).empty());
    EXPECT_EQ(old->class_p_values(probe.x).rows(), 0u);
    old->learn(rows_of(4, 1, 30, 2));
    EXPECT_TRUE(old->familiarity(probe.x).empty()) << "the older classes would look strange";
    EXPECT_EQ(old->predict(probe.x), learner.predict(probe.x));
}

TEST(FearNetFamiliarity, a_damaged_state_is_refused) {
    FearNet learner(test::quick());
    learner.learn(rows_of(0, 4, 30, 1));
    const auto expect_refused = [&](const char* key, std::vector<std::int64_t> values) {
        State state = learner.save();
        state.set(key, std::move(values));
        EXPECT_THROW(restore_learner(state), Error) << key;
    };
    expect_refused("familiar.classes", {0, 1, 2, 9});
    expect_refused("familiar.classes", {0, 1, 2});
    expect_refused("familiar.counts", {30, 30, 30});
    expect_refused("familiar.counts", {30, 30, 30, 0});
}

}  // namespace
}  // namespace fearnet
