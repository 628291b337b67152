// Ctrl-C during the work of a command and after it.
#include "cli/interrupt.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace fearnet::cli {
namespace {

TEST(InterruptGuard, raises_a_flag_at_the_first_signal_and_ends_the_program_at_the_second) {
    const auto after = [](int signals) {
        const InterruptGuard guard;
        for (int i = 0; i < signals; ++i) std::raise(SIGINT);
        _exit(guard.interrupted() ? 3 : 4);
    };
    EXPECT_EXIT(after(0), testing::ExitedWithCode(4), "");
    EXPECT_EXIT(after(1), testing::ExitedWithCode(3), "");
    EXPECT_EXIT(after(2), testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptGuard, lets_a_program_end_well_if_the_signal_comes_after_the_work) {
    const auto late = [](int signals) {
        { const InterruptGuard work; }
        for (int i = 0; i < signals; ++i) std::raise(SIGTERM);
        _exit(0);
    };
    EXPECT_EXIT(late(1), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(late(2), testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace fearnet::cli
