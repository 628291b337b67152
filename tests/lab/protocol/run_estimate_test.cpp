#include <gtest/gtest.h>

#include "lab/protocol/work_estimate.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

constexpr double kRounding = 1e-9;

TEST(WorkEstimate, knows_nothing_before_the_first_measurement) {
    WorkEstimate estimate(0);
    estimate.plan(RunPhase::offline, 100);
    EXPECT_EQ(estimate.fraction(5), 0);
}

TEST(WorkEstimate, assumes_that_unmeasured_phases_cost_what_the_measured_ones_do) {
    WorkEstimate estimate(0);
    estimate.plan(RunPhase::offline, 100);
    estimate.plan(RunPhase::base, 300);
    estimate.begin(RunPhase::offline, 100, 0);
    EXPECT_EQ(estimate.end(10), 10);
    EXPECT_NEAR(estimate.fraction(10), 0.25, kRounding);
}

// Sleep was planned as cheap as learning and turns out ten times as dear: 2 of 4 sleeps and 20 of 40 lessons
// are half.
TEST(WorkEstimate, learns_from_each_phase_what_it_costs) {
    WorkEstimate estimate(0);
    estimate.plan(RunPhase::learn, 40);
    estimate.plan(RunPhase::sleep, 4);
    double now = 0;
    for (int i = 0; i < 20; ++i) {
        estimate.begin(RunPhase::learn, 1, now);
        estimate.end(now += 1);
        if (i % 10 != 9) continue;
        estimate.begin(RunPhase::sleep, 1, now);
        estimate.end(now += 10);
    }
    EXPECT_NEAR(estimate.fraction(now), 0.5, kRounding);
    EXPECT_NEAR(estimate.seconds(RunPhase::sleep), 20, kRounding);
}

TEST(WorkEstimate, uses_the_progress_inside_a_phase) {
    WorkEstimate estimate(0);
    estimate.plan(RunPhase::offline, 1);
    estimate.begin(RunPhase::offline, 1, 0);
    estimate.step("training", 5, 10);
    EXPECT_NEAR(estimate.fraction(5), 0.5, 0.05);
}

TEST(WorkEstimate, never_falls_and_ends_at_one) {
    WorkEstimate estimate(0);
    estimate.plan(RunPhase::base, 10);
    estimate.plan(RunPhase::learn, 10);
    double last = 0, now = 0;
    const auto rising = [&] {
        const double f = estimate.fraction(now);
        EXPECT_GE(f, last);
        EXPECT_LE(f, 1);
        last = f;
    };
    estimate.begin(RunPhase::base, 10, now);
    for (std::size_t i = 1; i <= 10; ++i) now += 0.1, estimate.step("base", i, 10), rising();
    for (std::size_t i = 1; i <= 10; ++i) now += 0.1, estimate.step("statistics", i, 10), rising();
    estimate.end(now);
    estimate.begin(RunPhase::learn, 10, now);
    for (std::size_t i = 1; i <= 10; ++i) now += 5, estimate.step("learn", i, 10), rising();
    estimate.end(now);
    EXPECT_NEAR(estimate.fraction(now), 1, kRounding);
}

}  // namespace
}  // namespace fearnet
