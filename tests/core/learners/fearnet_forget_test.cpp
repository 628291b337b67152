#include <gtest/gtest.h>

#include <algorithm>

#include "core/learners/fearnet/fearnet.hpp"
#include "core/nn/dense.hpp"
#include "fearnet/registry.hpp"
#include "support/accuracy.hpp"
#include "support/blobs.hpp"
#include "support/quick_fearnet.hpp"

namespace fearnet {
namespace {

using test::accuracy;
using test::quick;

constexpr std::size_t kWidth = 24;

TEST(DropOutput, keeps_the_others_in_order) {
    Rng rng(1);
    nn::Dense layer = nn::make_dense(3, 4, 0, rng);
    for (std::size_t j = 0; j < 4; ++j) layer.bias(0, j) = static_cast<float>(j);
    const nn::Dense before = layer;
    nn::drop_output(layer, 1);
    ASSERT_EQ(layer.outputs(), 3u);
    for (std::size_t j : {0, 1, 2}) {
        const std::size_t from = j == 0 ? 0 : j + 1;
        EXPECT_EQ(layer.bias(0, j), static_cast<float>(from));
        for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(layer.weight(i, j), before.weight(i, from));
    }
}

class Forgetting : public testing::Test {
  protected:
    void SetUp() override {
        learner_.learn(test::blobs(0, 4, 40, kWidth, 1));
        learner_.learn(test::blobs(4, 2, 30, kWidth, 2));
    }
    FearNet learner_{quick(), 1};
    std::vector<ClassId> ids(std::initializer_list<int> list) const {
        std::vector<ClassId> result;
        for (int i : list) result.push_back(ClassId{i});
        return result;
    }
};

// Row by row: no stored row of the class anywhere.
bool contains_row(const State& state, const float* row, std::size_t width) {
    for (const auto& [key, array] : state.arrays)
        if (const Matrix* m = std::get_if<Matrix>(&array.values); m != nullptr && m->cols() == width)
            for (std::size_t i = 0; i < m->rows(); ++i)
                if (std::equal(row, row + width, m->row(i))) return true;
    return false;
}

TEST_F(Forgetting, takes_rows_and_statistics_out_of_the_saved_state) {
    const Examples fourth = test::blobs(4, 2, 30, kWidth, 2);
    ASSERT_TRUE(contains_row(learner_.save(), fourth.x.row(0), kWidth));
    ASSERT_TRUE(learner_.save().has("prefrontal_cortex.class.1.mean"));
    const State before = learner_.save();
    learner_.forget(ClassId{4});
    learner_.forget(ClassId{1});
    const State after = learner_.save();
    EXPECT_EQ(learner_.classes(), ids({0, 2, 3, 5}));
    for (std::size_t i = 0; i < 30; ++i) EXPECT_FALSE(contains_row(after, fourth.x.row(i), kWidth));
    for (const auto& [key, array] : after.arrays) {
        const Matrix* found = std::get_if<Matrix>(&array.values);
        if (found == nullptr) continue;
        const Matrix& m = *found;
        EXPECT_EQ(key.find("class.1."), std::string::npos) << key;
        EXPECT_EQ(key.find("examples.4"), std::string::npos) << key;
        for (const char* part : {"mean", "factor", "residual"}) {
            const Matrix& gone = before.matrix(std::string("prefrontal_cortex.class.1.") + part);
            EXPECT_FALSE(m.size() == gone.size() && std::equal(m.data(), m.data() + m.size(), gone.data()))
                << key;
        }
    }
    EXPECT_EQ(after.integer("prefrontal_cortex.classes"), (std::vector<std::int64_t>{0, 2, 3}));
    EXPECT_EQ(after.matrix("prefrontal_cortex.network.head.bias").cols(), 3u);
}

TEST_F(Forgetting, leaves_the_others_known_and_the_class_can_be_taught_again) {
    learner_.forget(ClassId{1});
    learner_.forget(ClassId{4});
    Examples kept = test::blobs(2, 2, 20, kWidth, 9);
    EXPECT_GE(accuracy(learner_, kept), 0.9);
    EXPECT_GE(accuracy(learner_, test::blobs(5, 1, 20, kWidth, 9)), 0.9);
    learner_.learn(test::blobs(1, 1, 30, kWidth, 5));
    learner_.sleep();
    EXPECT_EQ(learner_.classes(), ids({0, 1, 2, 3, 5}));
    EXPECT_GE(accuracy(learner_, test::blobs(0, 4, 20, kWidth, 9)), 0.9);
}

TEST_F(Forgetting, the_last_recent_class_clears_the_router) {
    learner_.forget(ClassId{4});
    learner_.forget(ClassId{5});
    EXPECT_TRUE(learner_.recent_classes().empty());
    for (const Explanation& e : learner_.explain(test::blobs(0, 4, 5, kWidth, 9).x)) EXPECT_EQ(e.router, 0);
    EXPECT_EQ(restore_learner(learner_.save())->memory(), learner_.memory());
}

TEST_F(Forgetting, all_consolidated_classes_leaves_a_recent_memory_that_answers_alone_and_sleeps) {
    for (int id : {0, 1, 2, 3}) learner_.forget(ClassId{id});
    EXPECT_TRUE(learner_.consolidated_classes().empty());
    EXPECT_EQ(learner_.width(), kWidth);
    EXPECT_EQ(learner_.memory().at("networks"), 0u);
    const Examples seen = test::blobs(4, 2, 20, kWidth, 9);
    EXPECT_GE(accuracy(learner_, seen), 0.95);
    const auto copy = restore_learner(learner_.save());
    EXPECT_EQ(copy->predict(seen.x), learner_.predict(seen.x));
    learner_.sleep();
    EXPECT_EQ(learner_.consolidated_classes(), ids({4, 5}));
    EXPECT_GE(accuracy(learner_, seen), 0.9);
}

TEST_F(Forgetting, a_class_in_both_memories_leaves_both) {
    learner_.learn(test::blobs(2, 1, 10, kWidth, 4));
    learner_.forget(ClassId{2});
    EXPECT_EQ(learner_.recent_classes(), ids({4, 5}));
    EXPECT_EQ(learner_.consolidated_classes(), ids({0, 1, 3}));
}

TEST_F(Forgetting, a_cancelled_call_leaves_no_trace) {
    const Examples probe = test::blobs(0, 6, 10, kWidth, 9);
    const auto expected = learner_.predict(probe.x);
    EXPECT_THROW(learner_.forget(ClassId{2}, [](const ProgressEvent&) { return false; }), Cancelled);
    EXPECT_EQ(learner_.predict(probe.x), expected);
    EXPECT_EQ(learner_.classes().size(), 6u);
}

}  // namespace
}  // namespace fearnet
