#include "core/nn/trainer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <new>

#include "core/math/gemm.hpp"
#include "fearnet/threads.hpp"
#include "support/reference_network.hpp"

namespace {
std::atomic<long> allocations{0};
}
// Counts what our own code allocates.
void* operator new(std::size_t size) {
    ++allocations;
    if (void* p = std::malloc(size ? size : 1)) return p;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(size ? size : 1);
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}
#pragma GCC diagnostic pop

namespace fearnet {
namespace {

constexpr double kGradientTolerance =
    1e-4;  // largest difference, relative to the largest gradient of the tensor

struct Problem {
    nn::NetworkShape shape;
    nn::TrainerOptions options;
    bool soft = false;
    std::size_t soft_outputs = 0;  // of the sigmoid loss: the first units with given targets
};

struct Batch {
    Matrix x, soft, anchor;
    std::vector<std::int32_t> labels;
    test::Rows x_rows, soft_rows, anchor_rows;
};

Batch make_batch(const Problem& p, std::size_t rows, Rng rng) {
    Batch b;
    b.x = Matrix(rows, p.shape.inputs);
    const bool sigmoid = p.options.loss == nn::Loss::sigmoid;
    const std::size_t targets = sigmoid ? p.soft_outputs : p.shape.outputs;
    b.soft = Matrix(rows, targets);
    b.anchor = Matrix(rows, p.shape.hidden.back());
    for (std::size_t i = 0; i < b.x.size(); ++i) b.x.data()[i] = static_cast<float>(rng.normal());
    for (std::size_t i = 0; i < rows; ++i) {
        b.labels.push_back(
            static_cast<std::int32_t>(rng.below(p.options.loss == nn::Loss::logistic ? 2 : p.shape.outputs)));
        float sum = 0;
        for (std::size_t j = 0; j < targets; ++j) sum += b.soft(i, j) = static_cast<float>(rng.uniform());
        for (std::size_t j = 0; j < targets && !sigmoid; ++j) b.soft(i, j) /= sum;
        if (p.soft && i % 2 == 0) b.labels[i] = -1;
        for (std::size_t j = 0; j < p.shape.hidden.back(); ++j)
            b.anchor(i, j) = static_cast<float>(rng.normal());
        b.anchor_rows.emplace_back(b.anchor.row(i), b.anchor.row(i) + b.anchor.cols());
        b.x_rows.emplace_back(b.x.row(i), b.x.row(i) + b.x.cols());
        b.soft_rows.emplace_back(b.soft.row(i), b.soft.row(i) + b.soft.cols());
    }
    return b;
}

// Central differences of the double-precision reference, element by element, against the engine's gradients.
void expect_gradients_agree(const Problem& p) {
    Rng rng(7);
    nn::Network net(p.shape, 0.1f, rng);
    const Batch b = make_batch(p, 9, rng.fork(3));
    const Rng trainer_rng = rng.fork(4);
    nn::Trainer trainer(net, p.options, 9, trainer_rng);
    const nn::StepLoss loss = trainer.compute_gradients(b.x, b.labels, b.soft, b.anchor);
    test::ReferenceNetwork reference(net);
    const auto value = [&] {
        return test::reference_loss(reference, p.options, b.x_rows, b.labels, b.soft_rows, b.anchor_rows,
                                    trainer_rng);
    };
    EXPECT_NEAR(loss.total(), value(), 1e-5 * (1 + value()));
    const auto gradients = trainer.gradients();
    for (std::size_t t = 0; t < gradients.size(); ++t) {
        double largest = 0, worst = 0;
        for (std::size_t i = 0; i < gradients[t]->size(); ++i) {
            double& parameter = reference.parameter(t, i);
            const double held = parameter, step = 1e-5;
            parameter = held + step;
            const double above = value();
            parameter = held - step;
            const double below = value();
            parameter = held;
            const double expected = (above - below) / (2 * step);
            largest = std::max(largest, std::abs(expected));
            worst = std::max(worst, std::abs(expected - static_cast<double>(gradients[t]->data()[i])));
        }
        EXPECT_GT(largest, 0) << "tensor " << t << " has no gradient at all";
        EXPECT_LE(worst, kGradientTolerance * largest) << "tensor " << t;
        std::cout << "  tensor " << t << ": largest relative difference " << worst / largest << "\n";
    }
}

TEST(Gradients, of_the_autoencoder_agree_with_finite_differences) {
    expect_gradients_agree({{6, {5, 4}, 3, true, false}, {.dropout = 0, .reconstruction = {3, 1, 0.5}}});
}
TEST(Gradients, with_dropout_agree_with_finite_differences) {
    expect_gradients_agree({{6, {8, 7}, 3, true, false}, {.dropout = 0.25, .reconstruction = {3, 1, 0.5}}});
}
TEST(Gradients, with_a_code_layer_agree_with_finite_differences) {
    expect_gradients_agree({{6, {5, 4}, 3, true, true}, {.dropout = 0.25, .reconstruction = {3, 1, 0.5}}});
}
TEST(Gradients, of_three_hidden_layers_agree_with_finite_differences) {
    expect_gradients_agree(
        {{5, {6, 5, 4}, 3, true, false}, {.dropout = 0.1, .reconstruction = {2, 1, 0.5, 0.1}}});
}
TEST(Gradients, of_one_hidden_layer_agree_with_finite_differences) {
    expect_gradients_agree({{5, {6}, 3, true, false}, {.dropout = 0, .reconstruction = {2}}});
}
TEST(Gradients, of_a_plain_classifier_agree_with_finite_differences) {
    expect_gradients_agree({{6, {5, 4}, 3, false, false}, {.dropout = 0.25}});
}
TEST(Gradients, of_soft_targets_agree_with_finite_differences) {
    expect_gradients_agree({{6, {5, 4}, 3, true, false}, {.dropout = 0, .reconstruction = {3, 1}}, true});
}
TEST(Gradients, of_anchored_codes_agree_with_finite_differences) {
    for (bool code_layer : {false, true})
        expect_gradients_agree({{6, {5, 4}, 3, true, code_layer},
                                {.dropout = 0.2, .reconstruction = {3, 1, 0.5}, .anchor = 2},
                                true});
}
TEST(Gradients, of_the_logistic_output_agree_with_finite_differences) {
    expect_gradients_agree({{6, {5, 4}, 1, false, false}, {.loss = nn::Loss::logistic, .dropout = 0.25}});
}
TEST(Gradients, of_independent_outputs_agree_with_finite_differences) {
    for (std::size_t soft_outputs : {0, 2, 4})
        expect_gradients_agree({{6, {5, 4}, 4, false, false},
                                {.loss = nn::Loss::sigmoid, .dropout = 0.25},
                                false,
                                soft_outputs});
}

TEST(SigmoidCrossEntropy, of_far_scores_is_finite_and_points_the_right_way) {
    Matrix z(1, 2), bias(1, 2), sums(1, 2), parts(nn::kParts, 2);
    z(0, 0) = 500, z(0, 1) = -500;
    const std::vector<std::int32_t> wrong{1};
    const double loss = nn::sigmoid_cross_entropy(z, bias, wrong, {}, sums, parts);
    EXPECT_NEAR(loss, 500, 1e-3);
    EXPECT_FLOAT_EQ(z(0, 0), 0.5f);
    EXPECT_FLOAT_EQ(z(0, 1), -0.5f);
}

// The same 14 products as a step of {40, {20, 10}, 5} with a decoder, and nothing else.
void products_of_a_step(std::size_t n) {
    using math::gemm;
    using math::Op;
    static Matrix x(n, 40), h(n, 20), c(n, 10), d(n, 20), r(n, 40), o(n, 5), w1(40, 20), w2(20, 10),
        wh(10, 5), v1(10, 20), v2(20, 40);
    gemm(Op::none, x, Op::none, w1, h), gemm(Op::none, h, Op::none, w2, c),
        gemm(Op::none, c, Op::none, wh, o);
    gemm(Op::none, c, Op::none, v1, d), gemm(Op::none, d, Op::none, v2, r);
    gemm(Op::transpose, c, Op::none, o, wh), gemm(Op::none, o, Op::transpose, wh, c);
    gemm(Op::transpose, d, Op::none, r, v2), gemm(Op::none, r, Op::transpose, v2, d);
    gemm(Op::transpose, c, Op::none, d, v1), gemm(Op::none, d, Op::transpose, v1, c, true);
    gemm(Op::transpose, h, Op::none, c, w2), gemm(Op::none, c, Op::transpose, w2, h);
    gemm(Op::transpose, x, Op::none, h, w1);
}

TEST(Trainer, allocates_nothing_in_a_step_beyond_what_the_backends_products_do) {
    const Problem p{{40, {20, 10}, 5, true, false}, {.reconstruction = {1e4, 1, 0.1}}};
    Rng rng(1);
    nn::Network net(p.shape, 0, rng);
    const Batch b = make_batch(p, 32, rng);
    nn::Trainer trainer(net, p.options, 32, rng);
    const auto count = [](const auto& work) {
        for (int i = 0; i < 2; ++i) work();  // the backend compiles its kernels on first use
        const long before = allocations;
        for (int i = 0; i < 10; ++i) work();
        return allocations - before;
    };
    const long products = count([] { products_of_a_step(32); });
    EXPECT_EQ(count([&] { trainer.step(b.x, b.labels); }), products);
}

std::vector<float> weights_after_training(int threads, std::uint64_t seed) {
    set_threads(threads);
    const Problem p{{300, {64, 32}, 5, true, false}, {.reconstruction = {1e2, 1, 0.1}}};
    Rng rng(seed);
    nn::Network net(p.shape, 0, rng);
    const Batch b = make_batch(p, 200, rng);
    nn::Trainer trainer(net, p.options, 200, rng);
    for (int i = 0; i < 20; ++i) trainer.step(b.x, b.labels);
    return {net.encoder[0].weight.data(), net.encoder[0].weight.data() + net.encoder[0].weight.size()};
}

TEST(Trainer, gives_the_same_bits_twice_from_one_seed) {
    for (int threads : {1, 2})
        EXPECT_EQ(weights_after_training(threads, 3), weights_after_training(threads, 3));
    EXPECT_NE(weights_after_training(1, 3), weights_after_training(1, 4));
}

TEST(Trainer, drives_the_loss_down_on_a_separable_problem) {
    Rng rng(5);
    const std::size_t n = 120;
    Matrix x(n, 10);
    std::vector<std::int32_t> labels(n);
    for (std::size_t i = 0; i < n; ++i) {
        labels[i] = static_cast<std::int32_t>(i % 3);
        for (std::size_t j = 0; j < 10; ++j)
            x(i, j) = static_cast<float>(0.1 * rng.normal() + (j % 3 == i % 3 ? 1.0 : 0.0));
    }
    nn::Network net({10, {16, 8}, 3, true, false}, 0, rng);
    nn::Trainer trainer(net, {.rate = 1e-2, .dropout = 0, .reconstruction = {1, 0.1}}, n, rng);
    const double first = trainer.step(x, labels).total();
    double last = first;
    for (int i = 0; i < 300; ++i) last = trainer.step(x, labels).total();
    EXPECT_LT(last, 0.05 * first);
}

}  // namespace
}  // namespace fearnet
