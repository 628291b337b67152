#include "core/learners/fearnet/memory_budget.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "core/learners/fearnet/fearnet.hpp"
#include "core/learners/fearnet/training.hpp"
#include "fearnet/registry.hpp"
#include "support/accuracy.hpp"
#include "support/blobs.hpp"
#include "support/memory.hpp"
#include "support/quick_fearnet.hpp"

namespace fearnet {
namespace {

using test::accuracy;
using test::quick;
using test::total_memory;

constexpr std::size_t kWidth = 24;

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

// Ten classes of 50 rows with codes of 20 and 30 features: full takes (1 + 20) * 20 + 30 floats a class, rank
// r (1 + r) * 20 + 30, diagonal 2 * 20 + 30, and 2 * 20 without residuals.
TEST(MemoryBudget, chooses_the_largest_form_that_fits) {
    FearNetOptions options;
    options.network.hidden = {20};
    options.amygdala.kind = RouterKind::one_class_svm;  // no bytes reserved
    options.memory.recent_share = 0;
    const StatisticsSize size{1000, 20, 30, std::vector<std::size_t>(10, 50)};
    const auto form = [&](std::size_t floats_per_class) {
        options.memory.budget = static_cast<std::int64_t>(1000 + 10 * floats_per_class * 4);
        return statistics_within_budget(options, size);
    };
    EXPECT_EQ(form(450).max_rank, 0);
    EXPECT_EQ(form(449).max_rank, 19);
    EXPECT_EQ(form(150).max_rank, 5);
    EXPECT_EQ(form(130).max_rank, 4);
    EXPECT_EQ(form(130).covariance, Covariance::full);
    EXPECT_EQ(form(129).covariance, Covariance::diagonal);
    EXPECT_TRUE(form(70).mean_residual);
    EXPECT_FALSE(form(69).mean_residual);
    EXPECT_EQ(form(40).covariance, Covariance::diagonal);
    const std::string text = error_of([&] { form(39); });
    for (const char* part : {"2560", "1000", "1600", "10 classes", "memory.budget", "network.hidden"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
    options.memory.recent_share = 0.5;
    EXPECT_EQ(form(300).max_rank, 5) << "half is left to recent examples";
    EXPECT_FALSE(form(45).mean_residual) << "the least form may take more than its share";
}

TEST(MemoryBudget, counts_classes_of_few_rows_as_they_are) {
    FearNetOptions options;
    const StatisticsSize size{0, 20, 0, {3, 100}};
    EXPECT_EQ(statistics_bytes(options.statistics, size), ((1 + 3) * 20 + (1 + 20) * 20) * 4u);
}

TEST(MemoryBudget, knows_the_bytes_of_a_router_beforehand) {
    FearNetOptions options = quick();
    for (RouterInput input : {RouterInput::codes, RouterInput::features}) {
        options.amygdala.input = input;
        FearNet learner(options, 1);
        learner.learn(test::blobs(0, 3, 20, kWidth, 1));
        const std::size_t before = learner.memory().at("networks");
        learner.learn(test::blobs(3, 1, 20, kWidth, 1));
        EXPECT_EQ(learner.memory().at("networks") - before, expected_router_bytes(options, kWidth));
    }
}

// Networks of 24 features, 32 and 16 units take 11,200 bytes, the router 4,356; statistics 1,184 bytes a
// class when full, 224 when diagonal, 128 at least. The budgets end at each of the forms.
TEST(MemoryBudget, is_kept_after_base_learn_and_sleep_and_the_classes_stay_known) {
    for (std::int64_t budget : {40000, 26000, 20000, 18500}) {
        FearNetOptions options = quick();
        options.memory.budget = budget;
        FearNet learner(options, 1);
        learner.learn(test::blobs(0, 5, 40, kWidth, 1));
        EXPECT_LE(total_memory(learner), static_cast<std::size_t>(budget));
        for (std::size_t c = 5; c < 8; ++c) {
            learner.learn(test::blobs(c, 1, 15, kWidth, c));
            EXPECT_LE(total_memory(learner), static_cast<std::size_t>(budget)) << "class " << c;
            learner.sleep();
            EXPECT_LE(total_memory(learner), static_cast<std::size_t>(budget)) << "class " << c;
        }
        EXPECT_GE(accuracy(learner, test::blobs(0, 8, 20, kWidth, 9)), budget > 19000 ? 0.8 : 0.6) << budget;
        EXPECT_EQ(restore_learner(learner.save())->memory(), learner.memory());
    }
}

TEST(MemoryBudget, refuses_a_session_that_does_not_fit_and_says_what_to_do) {
    FearNetOptions options = quick();
    options.memory.budget = 26000;
    FearNet learner(options, 1);
    learner.learn(test::blobs(0, 5, 40, kWidth, 1));
    const std::size_t before = total_memory(learner);
    std::string text = error_of([&] { learner.learn(test::blobs(5, 1, 500, kWidth, 1)); });
    for (const char* part : {"fearnet::learn", "26000", "memory.budget", "fewer rows"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
    EXPECT_EQ(text.find("sleep first"), std::string::npos) << text;
    EXPECT_EQ(total_memory(learner), before);
    learner.learn(test::blobs(5, 1, 40, kWidth, 1));
    text = error_of([&] { learner.learn(test::blobs(6, 1, 60, kWidth, 1)); });
    EXPECT_NE(text.find("sleep first"), std::string::npos) << text;
    EXPECT_EQ(learner.classes().size(), 6u);
    learner.sleep();
    EXPECT_LE(total_memory(learner), 26000u);
}

TEST(MemoryBudget, refuses_networks_that_do_not_fit) {
    FearNetOptions options = quick();
    options.memory.budget = 9000;
    FearNet learner(options, 1);
    const std::string text = error_of([&] { learner.learn(test::blobs(0, 5, 40, kWidth, 1)); });
    for (const char* part : {"9000", "memory.budget", "network.hidden"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
    EXPECT_TRUE(learner.classes().empty());
}

}  // namespace
}  // namespace fearnet
