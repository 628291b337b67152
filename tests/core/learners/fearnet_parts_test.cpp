#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/learners/fearnet/amygdala.hpp"
#include "core/learners/fearnet/choose_memory.hpp"
#include "core/learners/fearnet/consolidation.hpp"
#include "core/learners/fearnet/fearnet.hpp"
#include "core/learners/fearnet/hippocampus.hpp"
#include "core/learners/fearnet/replay.hpp"
#include "fearnet/registry.hpp"
#include "support/blobs.hpp"
#include "support/quick_fearnet.hpp"

namespace fearnet {
namespace {

using test::quick;

TEST(ChooseMemory, follows_equation_five) {
    const MemoryChoice even = choose_memory(0.8, 0.5, 0.7);
    EXPECT_DOUBLE_EQ(even.psi, 0.8);
    EXPECT_EQ(even.memory, Memory::recent);
    const MemoryChoice old = choose_memory(0.8, 0.25, 0.7);
    EXPECT_NEAR(old.psi, 0.8 / 3, 1e-12);
    EXPECT_EQ(old.memory, Memory::consolidated);
    EXPECT_EQ(choose_memory(0.5, 0.5, 0.5).memory, Memory::consolidated) << "psi must exceed the other side";
}

TEST(ChooseMemory, a_router_at_its_ends_decides_alone) {
    EXPECT_EQ(choose_memory(0.01, 1.0, 1.0).memory, Memory::recent);
    EXPECT_TRUE(std::isinf(choose_memory(0.01, 1.0, 1.0).psi));
    EXPECT_EQ(choose_memory(1.0, 0.0, 0.0).memory, Memory::consolidated);
}

TEST(Hippocampus, probabilities_are_inverse_nearest_distances) {
    Hippocampus h;
    Matrix rows(3, 2);
    rows(0, 0) = 0, rows(1, 0) = 3, rows(2, 0) = 10;  // class 0 at 0 and 3, class 1 at 10
    const std::vector<ClassId> labels{ClassId{0}, ClassId{0}, ClassId{1}};
    h.store({rows, labels});
    Matrix x(1, 2);
    x(0, 0) = 4;
    Matrix p = h.distances(x);
    EXPECT_FLOAT_EQ(p(0, 0), 1);
    EXPECT_FLOAT_EQ(p(0, 1), 6);
    HippocampusOptions options;
    options.epsilon = 0.5;
    Hippocampus::to_probabilities(p, options);
    const double b0 = 1 / 1.5, b1 = 1 / 6.5;  // Eq. 2
    EXPECT_NEAR(p(0, 0), b0 / (b0 + b1), 1e-6);
    EXPECT_NEAR(p(0, 1), b1 / (b0 + b1), 1e-6);
}

TEST(Hippocampus, ten_classes_at_six_tenths_and_one_give_the_flat_answer_of_the_paper) {
    Matrix d(1, 10);
    for (std::size_t c = 0; c < 10; ++c) d(0, c) = c == 0 ? 0.6f : 1.0f;
    HippocampusOptions options;
    options.epsilon = 1e-9;
    Hippocampus::to_probabilities(d, options);
    EXPECT_NEAR(d(0, 0), 0.156, 0.001);
}

TEST(Hippocampus, an_exact_duplicate_is_finite_and_wins) {
    Hippocampus h;
    const Examples e = test::blobs(0, 3, 5, 8, 1);
    h.store(e);
    Matrix p = h.distances(e.x);
    Hippocampus::to_probabilities(p, {});
    for (std::size_t i = 0; i < e.size(); ++i) {
        float sum = 0;
        for (std::size_t c = 0; c < 3; ++c) sum += p(i, c);
        EXPECT_NEAR(sum, 1, 1e-5);
        EXPECT_GT(p(i, static_cast<std::size_t>(index_of(e.labels[i]))), 0.9);
    }
}

class Memories : public testing::Test {
  protected:
    void SetUp() override {
        cortex_.fit(base_, options_, Rng(1), {});
        recent_.store(new_);
    }
    FearNetOptions options_ = quick();
    Examples base_ = test::blobs(0, 5, 40, 24, 1), new_ = test::blobs(5, 2, 30, 24, 2);
    PrefrontalCortex cortex_;
    Hippocampus recent_;
};

TEST_F(Memories, replay_holds_ceil_of_m_pseudo_examples_per_class_and_every_recent_row_once) {
    Hippocampus uneven = recent_;
    uneven.store(test::blobs(7, 1, 7, 24, 3));  // 67 rows in 3 classes: m = 22.3
    Replay replay(uneven, cortex_, {}, Rng(1));
    EXPECT_EQ(replay.pseudo_per_class(), 23u);
    EXPECT_EQ(replay.size(), 67u + 5 * 23);
    std::vector<std::size_t> all(replay.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    Matrix x(replay.size(), 24);
    std::vector<Replay::Origin> origins(replay.size());
    replay.fill(all, 0, x, origins);
    std::vector<int> pseudo(5);
    std::size_t real = 0;
    for (const Replay::Origin& o : origins) o.real ? void(++real) : void(++pseudo[o.index]);
    EXPECT_EQ(real, 67u);
    for (int n : pseudo) EXPECT_EQ(n, 23);
    EXPECT_TRUE(std::equal(x.row(0), x.row(0) + 24, uneven.contents()[0].rows.row(0)));
}

TEST_F(Memories, an_item_is_the_same_row_in_any_batch_of_its_epoch) {
    Replay replay(recent_, cortex_, {.borrow_residuals = true}, Rng(1));
    const std::vector<std::size_t> some{70, 3, 99, 80};
    Matrix batch(4, 24), one(1, 24), later(1, 24);
    std::vector<Replay::Origin> origins(4);
    replay.fill(some, 2, batch, origins);
    for (std::size_t i = 0; i < 4; ++i) {
        replay.fill({&some[i], 1}, 2, one, {origins.data(), 1});
        for (std::size_t j = 0; j < 24; ++j) EXPECT_NEAR(one(0, j), batch(i, j), 1e-5f);
    }
    replay.fill({&some[0], 1}, 3, later, {origins.data(), 1});
    EXPECT_FALSE(std::equal(later.row(0), later.row(0) + 24, batch.row(0))) << "a new epoch draws anew";
}

TEST_F(Memories, naming_the_items_that_come_changes_no_row) {
    Replay ahead(recent_, cortex_, {.borrow_residuals = true}, Rng(1)),
        alone(recent_, cortex_, {.borrow_residuals = true}, Rng(1));
    std::vector<std::size_t> order(ahead.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    constexpr std::size_t kBatch = 23;
    Matrix one(kBatch, 24), other(kBatch, 24);
    std::vector<Replay::Origin> origins(kBatch);
    for (std::size_t epoch = 0; epoch < 3; ++epoch) {
        Rng(epoch + 7).shuffle<std::size_t>(order);
        for (std::size_t first = 0; first < order.size(); first += kBatch) {
            if (epoch == 1 && first == 2 * kBatch) break;  // not all that was announced comes
            const std::size_t n = std::min(kBatch, order.size() - first);
            const std::span<const std::size_t> left = std::span(order).subspan(first);
            ahead.fill(left.first(n), epoch, {one.data(), n, 24}, {origins.data(), n}, left.subspan(n));
            alone.fill(left.first(n), epoch, {other.data(), n, 24}, {origins.data(), n});
            EXPECT_TRUE(std::equal(one.data(), one.data() + n * 24, other.data())) << epoch << " " << first;
        }
    }
}

TEST_F(Memories, pseudo_examples_look_like_their_class) {
    Replay replay(recent_, cortex_, {.borrow_residuals = true}, Rng(1));
    Matrix rows, codes, p;
    for (std::size_t column = 0; column < 5; ++column) {
        replay.pseudo_examples(column, 50, rows);
        cortex_.encode(rows, codes);
        cortex_.probabilities_of_codes(codes, p);
        int right = 0;
        for (std::size_t i = 0; i < 50; ++i)
            right +=
                std::max_element(p.row(i), p.row(i) + 5) - p.row(i) == static_cast<std::ptrdiff_t>(column);
        EXPECT_GE(right, 45) << column;
    }
}

TEST_F(Memories, mean_residuals_put_the_mean_of_pseudo_examples_on_the_mean_of_the_data) {
    Replay replay(recent_, cortex_, {}, Rng(1));
    Matrix rows;
    replay.pseudo_examples(2, 400, rows);
    double off = 0, scale = 0;
    for (std::size_t j = 0; j < 24; ++j) {
        double made = 0, real = 0;
        for (std::size_t i = 0; i < 400; ++i) made += rows(i, j) / 400;
        for (std::size_t i = 80; i < 120; ++i) real += base_.x(i, j) / 40;
        off += (made - real) * (made - real), scale += real * real;
    }
    EXPECT_LT(off, 0.01 * scale);
}

TEST_F(Memories, sleep_learns_the_new_classes_keeps_the_old_and_refreshes_all_statistics) {
    const PrefrontalCortex after = consolidate(cortex_, recent_, options_, Rng(2), {});
    ASSERT_EQ(after.classes().size(), 7u);
    EXPECT_EQ(after.statistics().size(), 7u);
    const Examples seen = test::blobs(0, 7, 20, 24, 9);
    Matrix codes, p;
    after.encode(seen.x, codes);
    after.probabilities_of_codes(codes, p);
    int right = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const auto best = std::max_element(p.row(i), p.row(i) + 7) - p.row(i);
        right += after.classes()[static_cast<std::size_t>(best)] == seen.labels[i];
    }
    EXPECT_GE(right, 126) << "of 140";
    for (std::size_t c = 0; c < 5; ++c)
        EXPECT_FALSE(std::equal(after.statistics()[c].codes.mean.data(),
                                after.statistics()[c].codes.mean.data() + 16,
                                cortex_.statistics()[c].codes.mean.data()))
            << "the statistics of class " << c << " are the old ones";
}

TEST_F(Memories, the_router_tells_recent_from_old) {
    for (RouterInput input : {RouterInput::features, RouterInput::codes}) {
        options_.amygdala.input = input;
        Amygdala router;
        router.fit(recent_, cortex_, options_, Rng(3), {});
        const Examples recent = test::blobs(5, 2, 30, 24, 10), old = test::blobs(0, 5, 12, 24, 11);
        const auto average = [&](const Examples& e) {
            Matrix codes;
            cortex_.encode(e.x, codes);
            double sum = 0;
            for (double a : router.recent_probability(router.sees_codes() ? MatrixView(codes) : e.x.view()))
                sum += a / static_cast<double>(e.size());
            return sum;
        };
        EXPECT_GT(average(recent), average(old) + 0.5)
            << (input == RouterInput::codes ? "codes" : "features");
    }
}

TEST(FearNet, says_where_an_answer_came_from) {
    FearNet learner(quick(), 1);
    learner.learn(test::blobs(0, 5, 40, 24, 1));
    learner.learn(test::blobs(5, 1, 30, 24, 2));
    const Examples recent = test::blobs(5, 1, 10, 24, 8), old = test::blobs(1, 1, 10, 24, 9);
    int from_recent = 0, from_old = 0;
    for (const Explanation& e : learner.explain(recent.x)) {
        from_recent += e.memory == Memory::recent;
        EXPECT_EQ(e.recent_label, ClassId{5});
        EXPECT_DOUBLE_EQ(e.recent_probability, 1) << "one class in the recent memory has all its probability";
        EXPECT_NEAR(e.psi, e.recent_probability * e.router / (1 - e.router), 1e-9 * (1 + e.psi));
    }
    for (const Explanation& e : learner.explain(old.x)) {
        from_old += e.memory == Memory::consolidated;
        EXPECT_NE(e.consolidated_label, ClassId{5});
    }
    EXPECT_GE(from_recent, 9);
    EXPECT_GE(from_old, 9);
    learner.sleep();
    for (const Explanation& e : learner.explain(recent.x)) {
        EXPECT_EQ(e.memory, Memory::consolidated);
        EXPECT_EQ(e.router, 0);
    }
}

TEST(FearNet, the_oracle_asks_the_memory_that_holds_the_class) {
    FearNet learner(quick(), 1);
    learner.learn(test::blobs(0, 5, 40, 24, 1));
    learner.learn(test::blobs(5, 2, 30, 24, 2));
    const Examples e = test::blobs(0, 7, 10, 24, 8);
    const auto explained = learner.explain(e.x);
    const auto oracle = learner.oracle_answers(explained, e.labels);
    EXPECT_THROW(learner.oracle_answers(explained, std::span(e.labels).first(3)), Error);
    for (std::size_t i = 0; i < e.size(); ++i)
        EXPECT_EQ(oracle[i],
                  index_of(e.labels[i]) >= 5 ? explained[i].recent_label : explained[i].consolidated_label);
}

TEST(FearNet, a_new_class_changes_no_other_classes_entries_in_the_state) {
    FearNet learner(quick(), 1);
    learner.learn(test::blobs(1, 4, 40, 24, 1));
    learner.learn(test::blobs(6, 1, 30, 24, 2));
    const State before = learner.save();
    learner.learn(test::blobs(5, 1, 30, 24, 2));  // an id before the one that is stored
    const State after = learner.save();
    int compared = 0;
    for (const auto& [key, array] : before.arrays) {
        const Matrix* found = std::get_if<Matrix>(&array.values);
        const bool of_all_classes = key.starts_with("amygdala.") || key.starts_with("open.");
        if (of_all_classes || found == nullptr) continue;
        const Matrix& m = *found;
        ASSERT_TRUE(after.has(key)) << key;
        const Matrix& now = after.values<Matrix>(key);
        EXPECT_TRUE(m.size() == now.size() && std::equal(m.data(), m.data() + m.size(), now.data())) << key;
        ++compared;
    }
    EXPECT_GT(compared, 4 * 3);
    EXPECT_TRUE(after.has("hippocampus.examples.5"));
    EXPECT_TRUE(after.has("prefrontal_cortex.class.4.mean"));
}

TEST(Presets, carry_the_supplements_table) {
    EXPECT_EQ(fearnet_preset("cifar100").network.hidden, (std::vector<std::int64_t>{140, 130}));
    EXPECT_EQ(fearnet_preset("cub200").network.hidden, (std::vector<std::int64_t>{350, 300}));
    EXPECT_EQ(fearnet_preset("audioset").network.hidden, (std::vector<std::int64_t>{300, 100}));
    EXPECT_EQ(fearnet_preset("cifar100").training.batch, 450);
    EXPECT_EQ(fearnet_preset("cub200").training.batch, 200);
    for (const std::string& name : preset_names()) {
        EXPECT_DOUBLE_EQ(fearnet_preset(name).training.rate, 2e-3) << name;
        EXPECT_DOUBLE_EQ(fearnet_preset(name).network.dropout, 0.25) << name;
        EXPECT_EQ(fearnet_preset(name).network.reconstruction, (std::vector<double>{1e4, 1, 0.1})) << name;
    }
    const FearNetOptions literal = fearnet_preset("cub200,literal");
    EXPECT_EQ(literal.network.hidden, (std::vector<std::int64_t>{350, 300}));
    EXPECT_EQ(literal.training.base_epochs, 1000);
    EXPECT_EQ(literal.sleep.epochs, 60);
    EXPECT_EQ(literal.amygdala.epochs, 20);
    EXPECT_THROW(fearnet_preset("imagenet"), Error);
    EXPECT_THROW(fearnet_preset("cub200,,literal"), Error);
}

TEST(Options, refuse_what_is_unknown_unreadable_or_out_of_range_and_change_nothing) {
    FearNetOptions o;
    const auto before = options_as_text(o);
    EXPECT_THROW(apply_options(o, {{"training.rate", "0.1"}, {"sleep.epoch", "3"}}), Error);
    EXPECT_THROW(apply_options(o, {{"training.rate", "fast"}}), Error);
    EXPECT_THROW(apply_options(o, {{"training.rate", "nan"}}), Error);
    EXPECT_THROW(apply_options(o, {{"training.batch", "0"}}), Error);
    EXPECT_THROW(apply_options(o, {{"training.batch", "12.5"}}), Error);
    EXPECT_THROW(apply_options(o, {{"network.hidden", "10,,3"}}), Error);
    EXPECT_THROW(apply_options(o, {{"network.hidden", ""}}), Error);
    EXPECT_THROW(apply_options(o, {{"statistics.covariance", "round"}}), Error);
    EXPECT_EQ(options_as_text(o), before);
    try {
        apply_options(o, {{"sleep.epoch", "3"}});
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("sleep.epochs"), std::string::npos) << e.what();
    }
}

TEST(Options, read_back_as_they_were_written) {
    FearNetOptions o, copy;
    apply_options(o, {{"network.hidden", "64,32,16"},
                      {"sleep.decay", "linear"},
                      {"network.reconstruction", "1e3,0.5"},
                      {"sleep.fresh", "false"},
                      {"hippocampus.epsilon", "0.125"}});
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [key, value] : options_as_text(o)) all.emplace_back(key, value);
    apply_options(copy, all);
    EXPECT_EQ(options_as_text(copy), options_as_text(o));
    EXPECT_EQ(copy.network.hidden, (std::vector<std::int64_t>{64, 32, 16}));
}

TEST(Rng, draws_the_same_sequence_everywhere) {
    // The same algorithm in Python's integers gave these.
    Rng fixed(42);
    EXPECT_EQ(fixed.next(), 15021278609987233951ull);
    EXPECT_EQ(fixed.next(), 5881210131331364753ull);
    EXPECT_EQ(fixed.next(), 18149643915985481100ull);
    Rng rng(42);
    double sum = 0, squares = 0;
    for (int i = 0; i < 20000; ++i) {
        const double v = rng.normal();
        sum += v, squares += v * v;
    }
    EXPECT_NEAR(sum / 20000, 0, 0.03);
    EXPECT_NEAR(squares / 20000, 1, 0.03);
    std::vector<int> counts(7);
    for (int i = 0; i < 70000; ++i) ++counts[rng.below(7)];
    for (int c : counts) EXPECT_NEAR(c, 10000, 400);
    EXPECT_EQ(Rng(5).fork(1).next(), Rng(5).fork(1).next());
    EXPECT_NE(Rng(5).fork(1).next(), Rng(5).fork(2).next());
}

}  // namespace
}  // namespace fearnet
