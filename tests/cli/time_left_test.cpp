// What the command line says about the time that work still takes.
#include "cli/time_left.hpp"

#include <gtest/gtest.h>

namespace fearnet::cli {
namespace {

// What is said at each percent while `pace(share)` seconds pass per percent.
template <class Pace>
std::vector<std::optional<double>> estimates(const Pace& pace) {
    TimeLeft left;
    std::vector<std::optional<double>> said;
    double seconds = 1000;  // a clock may start anywhere
    for (int percent = 0; percent <= 100; ++percent) {
        said.push_back(left.at(percent / 100.0, seconds));
        seconds += pace(percent);
    }
    return said;
}

TEST(TimeLeft, steady_work_is_foretold_exactly_once_enough_of_it_is_done) {
    const auto said = estimates([](int) { return 2.0; });
    for (int percent = 0; percent < 5; ++percent)
        EXPECT_FALSE(said[static_cast<std::size_t>(percent)]) << percent;
    for (int percent = 6; percent <= 100; ++percent) {
        ASSERT_TRUE(said[static_cast<std::size_t>(percent)]) << percent;
        EXPECT_NEAR(*said[static_cast<std::size_t>(percent)], 2.0 * (100 - percent), 1e-6);
    }
}

TEST(TimeLeft, nothing_is_said_in_the_first_seconds) {
    for (const auto& said : estimates([](int) { return 0.02; })) EXPECT_FALSE(said);
}

// Twelve minutes of silence, then one percent at a time in moments: no hour is left at the end.
TEST(TimeLeft, nothing_is_said_of_work_whose_pace_changes) {
    const auto said = estimates([](int percent) { return percent < 1 ? 720.0 : 0.1; });
    for (std::size_t percent = 0; percent < 60; ++percent) EXPECT_FALSE(said[percent]) << percent;
    for (const auto& s : said) EXPECT_LT(s.value_or(0), 720);
    const auto slower = estimates([](int percent) { return percent < 50 ? 0.5 : 60.0; });
    for (std::size_t percent = 55; percent < 90; ++percent) EXPECT_FALSE(slower[percent]) << percent;
}

TEST(TimeLeft, a_new_phase_is_new_work) {
    TimeLeft left;
    for (int percent = 0; percent <= 100; ++percent) left.at(percent / 100.0, percent);
    EXPECT_FALSE(left.at(0, 101)) << "100 s for nothing done would be for ever";
    EXPECT_FALSE(left.at(0.01, 102));
    for (int percent = 2; percent < 10; ++percent) left.at(percent / 100.0, 101 + percent);
    EXPECT_NEAR(left.at(0.10, 111).value_or(0), 90, 1e-6);
}

}  // namespace
}  // namespace fearnet::cli
