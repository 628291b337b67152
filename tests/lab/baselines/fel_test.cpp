#include "lab/baselines/fel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/blobs.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

TEST(FixedUnits, and_their_memory_are_the_papers) {
    EXPECT_EQ(fixed_units(1795, 100), 34015u);
    EXPECT_NEAR(static_cast<double>(fel_table_bytes(2048, 1795, 34015, 100)) / 1e6, 272.5, 0.05);
    EXPECT_NEAR(static_cast<double>(fel_table_bytes(2048, 1795, 34015, 1000)) / 1e6, 395.0, 0.05);
}

TEST(FiringRule, lets_at_least_one_unit_fire_and_none_twice) {
    const FiringRule tiny = firing_rule(1, 0.05, 1, -1);
    EXPECT_EQ(tiny.highs, 1u);
    EXPECT_EQ(tiny.lows, 0u);
    const FiringRule all = firing_rule(7, 1, 1, -1);
    EXPECT_LE(all.highs + all.lows, 7u);
    const FiringRule some = firing_rule(1000, 0.05, 1, -1);
    EXPECT_EQ(some.highs, 25u);
    EXPECT_EQ(some.lows, 25u);
}

// Sorts everything; equal inputs by number.
std::vector<float> plain_pattern(const std::vector<float>& inputs, const FiringRule& rule) {
    std::vector<std::size_t> order(inputs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return inputs[a] > inputs[b]; });
    std::vector<float> pattern(inputs.size(), 0.0f);
    for (std::size_t i = 0; i < rule.highs; ++i) pattern[order[i]] = rule.high;
    for (std::size_t i = 0; i < rule.lows; ++i) pattern[order[order.size() - 1 - i]] = rule.low;
    return pattern;
}

TEST(Fire, lets_the_largest_and_the_smallest_fire_also_among_equal_inputs) {
    Rng rng(3);
    std::vector<float> scratch;
    for (int trial = 0; trial < 500; ++trial) {
        std::vector<float> inputs(1 + rng.below(40));
        const std::uint64_t values = 1 + rng.below(30);  // few: many are equal
        for (float& v : inputs) v = static_cast<float>(rng.below(values)) - 5;
        const FiringRule rule = firing_rule(inputs.size(), rng.uniform(), 2, -3);
        std::vector<Firing> fired;
        fire(inputs, rule, scratch, fired);
        std::vector<float> pattern(inputs.size(), 0.0f);
        for (const Firing& f : fired) pattern[f.unit] = f.value;
        EXPECT_EQ(fired.size(), rule.highs + rule.lows);
        EXPECT_EQ(pattern, plain_pattern(inputs, rule)) << "trial " << trial;
    }
}

TEST(FixedLayer, has_so_many_wires_per_unit_all_of_one_size_and_both_signs) {
    const FixedLayer layer(20, 50, 6, Rng(1));
    std::size_t positive = 0;
    for (std::size_t u = 0; u < 50; ++u) {
        std::size_t wires = 0;
        for (std::size_t i = 0; i < 20; ++i) {
            const float w = layer.weight(i, u);
            wires += w != 0, positive += w > 0;
            if (w != 0) {
                EXPECT_NEAR(std::abs(w), 1 / std::sqrt(6.0), 1e-6);
            }
        }
        EXPECT_EQ(wires, 6u);
    }
    EXPECT_GT(positive, 100u);
    EXPECT_LT(positive, 200u);
}

TEST(FixedLayer, forward_and_backward_are_the_same_matrix) {
    const FixedLayer layer(9, 15, 4, Rng(2));
    Rng rng(3);
    std::vector<float> hidden(9), out(15), gradient(9, 0.0f);
    for (float& h : hidden) h = static_cast<float>(rng.normal());
    layer.forward(hidden.data(), out.data());
    for (std::size_t u = 0; u < 15; ++u) {
        float sum = 0;
        for (std::size_t i = 0; i < 9; ++i) sum += hidden[i] * layer.weight(i, u);
        EXPECT_NEAR(out[u], sum, 1e-5);
    }
    layer.backward(7, 2, gradient.data());
    for (std::size_t i = 0; i < 9; ++i) EXPECT_FLOAT_EQ(gradient[i], 2 * layer.weight(i, 7));
}

FelNetwork small_network(std::size_t classes) {
    FelNetwork n;
    Rng rng(5);
    n.hidden = nn::make_dense(6, 8, 0.1f, rng);
    n.fixed = FixedLayer(8, 40, 3, rng.fork(1));
    n.rule = firing_rule(40, 0.2, 1, -1);
    n.grow(classes);
    for (std::size_t i = 0; i < n.output.size(); ++i)
        n.output.data()[i] = static_cast<float>(0.3 * rng.normal());
    return n;
}

Matrix random_rows(std::size_t rows, std::size_t cols, std::uint64_t seed) {
    Matrix m(rows, cols);
    Rng rng(seed);
    for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = static_cast<float>(rng.normal());
    return m;
}

double loss_of(const FelNetwork& n, MatrixView x, const std::vector<std::int32_t>& columns) {
    const Matrix z = n.scores(x);
    double loss = 0;
    for (std::size_t i = 0; i < z.rows(); ++i) {
        double mass = 0;
        for (std::size_t c = 0; c < z.cols(); ++c) mass += std::exp(static_cast<double>(z(i, c)));
        loss += std::log(mass) - static_cast<double>(z(i, static_cast<std::size_t>(columns[i])));
    }
    return loss / static_cast<double>(z.rows());
}

TEST(FelTrainer, moves_output_weights_along_the_loss_and_only_those_of_units_that_fired) {
    const FelNetwork before = small_network(3);
    const Matrix x = random_rows(4, 6, 6);
    const std::vector<std::int32_t> columns{0, 2, 1, 2};
    FelNetwork after = before;
    const double rate = 0.5;
    EXPECT_NEAR(FelTrainer(after).step(x, columns, rate, 0), loss_of(before, x, columns), 1e-5);
    std::vector<bool> fired(40, false);
    for (const auto& row : before.firings(x))
        for (const Firing& f : row) fired[f.unit] = true;
    for (std::size_t u = 0; u < 40; ++u)
        for (std::size_t c = 0; c < 3; ++c) {
            const float moved = after.output(u, c) - before.output(u, c);
            if (!fired[u]) {
                EXPECT_EQ(moved, 0);
                continue;
            }
            const float h = 1e-2f;
            FelNetwork up = before, down = before;
            up.output(u, c) += h, down.output(u, c) -= h;
            const double slope =
                (loss_of(up, x, columns) - loss_of(down, x, columns)) / (2 * static_cast<double>(h));
            EXPECT_NEAR(moved, -rate * slope, 1e-4) << "unit " << u << " class " << c;
        }
    EXPECT_TRUE(std::equal(before.hidden.weight.data(), before.hidden.weight.data() + 48,
                           after.hidden.weight.data()));
}

// The hidden layer's gradient against finite differences of the scores when the units that fire pass their
// input on.
TEST(FelTrainer, moves_the_hidden_layer_as_if_units_that_fire_passed_their_input_on) {
    const FelNetwork before = small_network(3);
    const Matrix x = random_rows(1, 6, 7);
    const std::vector<std::int32_t> columns{1};
    FelNetwork after = before;
    const double rate = 1e-1;
    FelTrainer(after).step(x, columns, 0, rate);
    const Matrix z = before.scores(x);
    const auto fired = before.firings(x)[0];
    double mass = 0;
    for (std::size_t c = 0; c < 3; ++c) mass += std::exp(static_cast<double>(z(0, c)));
    for (std::size_t j = 0; j < 8; ++j) {
        double d = 0;
        for (const Firing& f : fired)
            for (std::size_t c = 0; c < 3; ++c) {
                const double g = std::exp(static_cast<double>(z(0, c))) / mass - (c == 1 ? 1 : 0);
                d += g * static_cast<double>(before.output(f.unit, c)) *
                     static_cast<double>(before.fixed.weight(j, f.unit));
            }
        double input = static_cast<double>(before.hidden.bias(0, j));
        for (std::size_t i = 0; i < 6; ++i)
            input += static_cast<double>(x(0, i)) * static_cast<double>(before.hidden.weight(i, j));
        d *= 1 - std::tanh(input) * std::tanh(input);
        EXPECT_NEAR(after.hidden.bias(0, j) - before.hidden.bias(0, j), -rate * d, 1e-5);
        for (std::size_t i = 0; i < 6; ++i)
            EXPECT_NEAR(after.hidden.weight(i, j) - before.hidden.weight(i, j),
                        -rate * d * static_cast<double>(x(0, i)), 1e-5);
    }
}

TEST(StandardizedHidden, has_inputs_of_mean_zero_and_deviation_one) {
    Rng rng(8);
    nn::Dense hidden = nn::make_dense(6, 5, 0, rng);
    Matrix x = random_rows(300, 6, 9);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] += 3;  // a common part that would drown the rest
    standardize_hidden(hidden, x);
    for (std::size_t j = 0; j < 5; ++j) {
        double sum = 0, squares = 0;
        for (std::size_t i = 0; i < 300; ++i) {
            double z = static_cast<double>(hidden.bias(0, j));
            for (std::size_t k = 0; k < 6; ++k)
                z += static_cast<double>(x(i, k)) * static_cast<double>(hidden.weight(k, j));
            sum += z, squares += z * z;
        }
        EXPECT_NEAR(sum / 300, 0, 1e-4);
        EXPECT_NEAR(squares / 300, 1, 1e-3);
    }
}

TEST(Fel, keeps_the_hidden_layer_in_later_sessions_unless_its_rate_says_otherwise) {
    for (double hidden_rate : {0.0, 1.0}) {
        FelOptions o;
        o.hidden = 32, o.max_classes = 4, o.rate = 0.05, o.hidden_rate = hidden_rate;
        Fel learner(o);
        learner.learn(test::blobs(0, 3, 20, 12, 1));
        const Matrix before = learner.save().matrix("hidden.weight");
        learner.learn(test::blobs(3, 1, 20, 12, 2));
        const Matrix after = learner.save().matrix("hidden.weight");
        EXPECT_EQ(std::equal(before.data(), before.data() + before.size(), after.data()), hidden_rate == 0);
    }
}

}  // namespace
}  // namespace fearnet
