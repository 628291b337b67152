#include "fearnet/lab/omega.hpp"

#include <gtest/gtest.h>

#include "fearnet/error.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

constexpr double kRounding = 1e-12;

std::vector<ClassId> ids(std::initializer_list<int> numbers) {
    std::vector<ClassId> out;
    for (const int n : numbers) out.push_back(ClassId{n});
    return out;
}

// By hand: base (0.6 + 0.5 + 0.4) / 3 / 0.8 = 0.625; new (1 + 0.5 + 0) / 3 = 0.5; all (0.7 + 0.6 + 0.5) / 3 /
// 0.8 = 0.75.
TEST(Omega, agrees_with_numbers_computed_by_hand) {
    const std::vector<SessionAccuracy> sessions{{0.6, 1.0, 0.7}, {0.5, 0.5, 0.6}, {0.4, 0.0, 0.5}};
    const OmegaScores scores = omega(sessions, 0.8);
    EXPECT_NEAR(scores.omega_base, 0.625, kRounding);
    EXPECT_NEAR(scores.omega_new, 0.5, kRounding);
    EXPECT_NEAR(scores.omega_all, 0.75, kRounding);
}

// By hand: base (0.6 / 0.75 + 0.5 / 0.5) / 2 = 0.9; new (1 + 0.5) / 2 = 0.75; all (0.8 / 1 + 0.3 / 0.5) / 2 =
// 0.7.
TEST(Omega, divides_each_session_by_its_own_offline_accuracy_when_given_one_per_session) {
    const std::vector<SessionAccuracy> sessions{{0.6, 1.0, 0.8}, {0.5, 0.5, 0.3}};
    const std::vector<SessionAccuracy> offline{{0.75, 0, 1.0}, {0.5, 0, 0.5}};
    const OmegaScores scores = omega(sessions, offline);
    EXPECT_NEAR(scores.omega_base, 0.9, kRounding);
    EXPECT_NEAR(scores.omega_new, 0.75, kRounding);
    EXPECT_NEAR(scores.omega_all, 0.7, kRounding);
}

TEST(Omega, may_exceed_one) {
    const std::vector<SessionAccuracy> sessions{{0.9, 0.9, 0.9}};
    EXPECT_NEAR(omega(sessions, 0.6).omega_base, 1.5, kRounding);
}

TEST(Omega, refuses_no_sessions_nothing_to_divide_by_and_sizes_that_differ) {
    const std::vector<SessionAccuracy> one{{0.5, 0.5, 0.5}}, none;
    const std::vector<SessionAccuracy> zero{{0, 0.5, 0.5}};
    EXPECT_THROW(omega(none, 0.8), Error);
    EXPECT_THROW(omega(one, 0.0), Error);
    EXPECT_THROW(omega(one, -0.1), Error);
    EXPECT_THROW(omega(one, none), Error);
    EXPECT_THROW(omega(one, zero), Error);
}

// Class 0: 4 of 4 right; class 1: 0 of 1; the plain accuracy would be 0.8.
TEST(MeanClassAccuracy, counts_every_class_the_same_however_many_rows_it_has) {
    EXPECT_NEAR(mean_class_accuracy(ids({0, 0, 0, 0, 0}), ids({0, 0, 0, 0, 1})), 0.5, kRounding);
}

TEST(MeanClassAccuracy, is_the_plain_accuracy_when_classes_are_equally_large) {
    EXPECT_NEAR(mean_class_accuracy(ids({0, 1, 1, 1, 2, 0}), ids({0, 0, 1, 1, 2, 2})), 4.0 / 6, kRounding);
}

TEST(MeanClassAccuracy, takes_no_notice_of_classes_that_only_occur_as_answers) {
    EXPECT_NEAR(mean_class_accuracy(ids({7, 3, 3}), ids({3, 3, 3})), 2.0 / 3, kRounding);
}

TEST(MeanClassAccuracy, refuses_no_rows_and_sizes_that_differ) {
    EXPECT_THROW(mean_class_accuracy(ids({}), ids({})), Error);
    EXPECT_THROW(mean_class_accuracy(ids({1}), ids({1, 2})), Error);
}

}  // namespace
}  // namespace fearnet
