#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lab/report/accuracy_series.hpp"
#include "lab/report/report_runs.hpp"
#include "lab/report/svg.hpp"
#include "support/xml.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

using test::fault_in;

TEST(AccuracySvg, is_well_formed_for_any_runs) {
    for (const std::size_t seeds : {0, 1, 3})
        for (const std::size_t sessions : {0, 1, 2, 50, 1000})
            for (const bool oracle : {false, true}) {
                const std::string svg = accuracy_svg(made_up_runs(seeds, sessions, oracle));
                EXPECT_EQ(fault_in(svg), "") << seeds << " seeds, " << sessions << " sessions";
                EXPECT_EQ(svg.find("nan"), std::string::npos);
                EXPECT_EQ(svg.find("inf"), std::string::npos);
            }
    EXPECT_EQ(fault_in(accuracy_svg({RunRecord{}})), "");
}

TEST(AccuracySvg, shows_the_router_only_when_there_is_one) {
    EXPECT_NE(accuracy_svg(made_up_runs(1, 5, true)).find("perfect router"), std::string::npos);
    EXPECT_EQ(accuracy_svg(made_up_runs(1, 5, false)).find("perfect router"), std::string::npos);
}

TEST(AccuracySvg, survives_names_that_are_markup_control_characters_or_no_utf8) {
    RunRecord run = made_up_run(1, 3, true);
    run.dataset = "</svg>\x01\x7f caf\xe9 & \xf0\x9f\x98\x80 \xe2\x80\xae\xc2\x9b";
    const std::string svg = accuracy_svg({run});
    EXPECT_EQ(fault_in(svg), "");
    EXPECT_NE(svg.find("&lt;/svg&gt;\\u0001\\u007f caf\\xe9 &amp; \xf0\x9f\x98\x80 \\u202e\\u009b"),
              std::string::npos);
}

TEST(AccuracySvg, shows_stopped_runs_only_when_none_is_finished) {
    std::vector<RunRecord> runs = made_up_runs(2, 8);
    runs[1].finished = false;
    EXPECT_EQ(runs_to_show(runs), (std::vector<const RunRecord*>{&runs[0]}));
    runs[0].finished = false;
    EXPECT_EQ(runs_to_show(runs).size(), 2u);
    EXPECT_NE(accuracy_svg(runs).find("stopped after session 8"), std::string::npos);
}

TEST(Series, is_mean_smallest_and_largest_over_the_runs) {
    std::vector<RunRecord> runs = made_up_runs(2, 1);
    runs[0].sessions[1].accuracy.all = 0.2;
    runs[1].sessions[1].accuracy.all = 0.6;
    const Series series = collect(runs_to_show(runs), [](const SessionRecord& s) -> std::optional<double> {
        if (s.session == 0) return std::nullopt;
        return s.accuracy.all;
    });
    ASSERT_EQ(series.session, (std::vector<std::size_t>{1}));
    EXPECT_NEAR(series.mean[0], 0.4, 1e-12);
    EXPECT_EQ(series.low[0], 0.2);
    EXPECT_EQ(series.high[0], 0.6);
}

TEST(Series, is_smoothed_over_the_sessions_around) {
    const Series series{{1, 2, 3, 4}, {0, 3, 6, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    EXPECT_EQ(running_mean(series, 3).mean, (std::vector<double>{1.5, 3, 3, 3}));
}

TEST(PlaceLabels, keeps_labels_apart_inside_and_in_order) {
    constexpr double kGap = 18, kLow = 90, kHigh = 460, kTolerance = 1e-9;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Rng rng(seed);
        std::vector<double> wanted(1 + rng.below(8));
        const double spread = seed % 2 ? 370 : 20;
        for (double& w : wanted) w = kLow + (370 - spread) * 0.5 + spread * rng.uniform();
        const std::vector<double> placed = place_labels(wanted, kGap, kLow, kHigh);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            EXPECT_GE(placed[i], kLow - kTolerance) << "seed " << seed;
            EXPECT_LE(placed[i], kHigh + kTolerance) << "seed " << seed;
            for (std::size_t j = 0; j < i; ++j) {
                EXPECT_GE(std::abs(placed[i] - placed[j]), kGap - kTolerance) << "seed " << seed;
                EXPECT_EQ(wanted[i] < wanted[j], placed[i] < placed[j]) << "seed " << seed;
            }
        }
    }
}

TEST(PlaceLabels, leaves_labels_that_do_not_collide_where_they_want_to_be) {
    EXPECT_EQ(place_labels({300, 100, 200}, 18, 90, 460), (std::vector<double>{300, 100, 200}));
    EXPECT_TRUE(place_labels({}, 18, 90, 460).empty());
}

TEST(PlaceLabels, squeezes_when_there_is_no_room) {
    const std::vector<double> placed = place_labels({0, 0, 0, 0, 0}, 18, 0, 40);
    EXPECT_EQ(*std::max_element(placed.begin(), placed.end()), 40);
    EXPECT_EQ(*std::min_element(placed.begin(), placed.end()), 0);
}

}  // namespace
}  // namespace fearnet
