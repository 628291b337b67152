// Brain files of every released version stay readable, with either matrix backend.
#include <gtest/gtest.h>

#include "contract/same_states.hpp"
#include "support/brains.hpp"

namespace fearnet {
namespace {

// Written by version 0.1.0 with oneDNN on x86-64: four base classes, a fifth consolidated in sleep, a sixth
// recent; one renamed, two merged. Its answers for two rows of each class, rounded.
constexpr double kAnswers[12][5] = {
    {0.292153, 0.245220, 0.093310, 0.141096, 0.228221}, {0.295666, 0.268316, 0.106283, 0.144816, 0.184918},
    {0.090255, 0.642023, 0.129410, 0.109962, 0.028349}, {0.093780, 0.638934, 0.123520, 0.104433, 0.039333},
    {0.097244, 0.416754, 0.125487, 0.087233, 0.273282}, {0.142198, 0.395920, 0.115152, 0.092726, 0.254003},
    {0.110747, 0.239501, 0.307360, 0.299350, 0.043042}, {0.105941, 0.206923, 0.307589, 0.311463, 0.068084},
    {0.249553, 0.229395, 0.205192, 0.227751, 0.088109}, {0.199228, 0.221974, 0.254578, 0.273928, 0.050292},
    {0.133931, 0.266054, 0.138859, 0.136550, 0.324607}, {0.147519, 0.266645, 0.171962, 0.160094, 0.253781}};
constexpr double kRounding = 2e-5;  // other backends and processors add up in another order

TEST(BrainFileOfVersion2, answers_as_when_it_was_written_and_learns_on) {
    const test::Folder folder;
    const std::filesystem::path file = folder / "copy.brain";
    std::filesystem::copy_file(std::filesystem::path(FEARNET_SOURCE_DIR) / "tests/golden/version_2.brain",
                               file);
    EXPECT_EQ(check_brain(file), std::vector<std::string>{});
    Brain brain(file);
    EXPECT_EQ(brain.class_names(),
              (std::vector<std::string>{"caf\xc3\xa9", "class 2", "class 3", "class 4", "class 5"}));
    const Matrix p = brain.probabilities(test::blobs(0, 6, 2, 12, 9).x);
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(p(i, j), kAnswers[i][j], kRounding) << i << ", " << j;
    const BrainInfo info = brain.info();
    EXPECT_EQ(info.history.size(), 7u);
    EXPECT_TRUE(info.classes[4].recent);
    test::teach_more(brain, 6);
    EXPECT_TRUE(brain.sleep());
    EXPECT_EQ(check_brain(file), std::vector<std::string>{});
}

TEST(BrainFileOfVersion2, is_written_again_bit_for_bit) {
    const test::Folder folder;
    const std::filesystem::path file = folder / "copy.brain";
    std::filesystem::copy_file(std::filesystem::path(FEARNET_SOURCE_DIR) / "tests/golden/version_2.brain",
                               file);
    const State before = Brain(file, BrainAccess::read).learner().save();
    Brain(file).rename("class 3", "three");  // writes the rows that changed, and only those
    const State after = Brain(file, BrainAccess::read).learner().save();
    contract::expect_same(before, after);
}

}  // namespace
}  // namespace fearnet
