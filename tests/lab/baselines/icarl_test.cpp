#include "lab/baselines/icarl.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "lab/baselines/herding.hpp"
#include "support/blobs.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

Matrix random_unit_rows(std::size_t rows, std::size_t cols, std::uint64_t seed) {
    Matrix m(rows, cols);
    Rng rng(seed);
    for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = static_cast<float>(1 + rng.normal());
    normalize_rows(m);
    return m;
}

// The same choice said differently: the row that brings the sum of the chosen nearest to j times the mean, in
// the sense of the largest product with what is missing.
std::vector<std::size_t> plain_herding(const Matrix& d, std::size_t count) {
    std::vector<double> mean(d.cols(), 0.0), sum(d.cols(), 0.0);
    for (std::size_t j = 0; j < d.cols(); ++j)
        for (std::size_t i = 0; i < d.rows(); ++i)
            mean[j] += static_cast<double>(d(i, j)) / static_cast<double>(d.rows());
    std::vector<std::size_t> chosen;
    std::set<std::size_t> used;
    while (chosen.size() < std::min(count, d.rows())) {
        std::size_t best = d.rows();
        double best_value = 0;
        for (std::size_t i = 0; i < d.rows(); ++i) {
            if (used.contains(i)) continue;
            double value = 0;
            for (std::size_t j = 0; j < d.cols(); ++j) {
                const double missing = static_cast<double>(chosen.size() + 1) * mean[j] - sum[j];
                value += missing * static_cast<double>(d(i, j));
            }
            if (best == d.rows() || value > best_value) best = i, best_value = value;
        }
        for (std::size_t j = 0; j < d.cols(); ++j) sum[j] += static_cast<double>(d(best, j));
        used.insert(best), chosen.push_back(best);
    }
    return chosen;
}

TEST(Herding, chooses_in_the_order_of_the_plain_rule) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Matrix d = random_unit_rows(30, 6, seed);
        EXPECT_EQ(herd(d, 12), plain_herding(d, 12)) << "seed " << seed;
    }
}

TEST(Herding, takes_every_row_once_when_asked_for_more_than_there_are) {
    const Matrix d = random_unit_rows(5, 3, 2);
    const std::vector<std::size_t> all = herd(d, 99);
    EXPECT_EQ(std::set<std::size_t>(all.begin(), all.end()).size(), 5u);
    EXPECT_EQ(all.size(), 5u);
}

TEST(Herding, keeps_the_mean_better_than_the_first_rows_do) {
    const Matrix d = random_unit_rows(200, 8, 3);
    const auto error = [&](const std::vector<std::size_t>& rows) {
        double sum = 0;
        for (std::size_t j = 0; j < d.cols(); ++j) {
            double all = 0, some = 0;
            for (std::size_t i = 0; i < d.rows(); ++i) all += static_cast<double>(d(i, j)) / 200;
            for (const std::size_t i : rows)
                some += static_cast<double>(d(i, j)) / static_cast<double>(rows.size());
            sum += (all - some) * (all - some);
        }
        return std::sqrt(sum);
    };
    std::vector<std::size_t> first(20);
    for (std::size_t i = 0; i < 20; ++i) first[i] = i;
    EXPECT_LT(error(herd(d, 20)), 0.2 * error(first));
}

TEST(UnitMean, has_length_one_and_a_row_of_zeros_stays) {
    Matrix rows(2, 2);
    rows(0, 0) = 1, rows(1, 1) = 1;
    float mean[2];
    unit_mean(rows, mean);
    EXPECT_NEAR(mean[0], std::sqrt(0.5), 1e-6);
    EXPECT_NEAR(mean[1], std::sqrt(0.5), 1e-6);
    Matrix zeros(1, 2);
    normalize_rows(zeros);
    EXPECT_EQ(zeros(0, 0), 0);
}

TEST(SigmoidOutputs, are_the_heads_scores_through_the_logistic_function) {
    Rng rng(4);
    const nn::Network network({5, {4, 3}, 2, false, false}, 0.1f, rng);
    const Matrix x = random_unit_rows(7, 5, 5);
    Matrix codes, scores;
    network.encode(x, codes);
    network.scores(codes, scores);
    const Matrix outputs = sigmoid_outputs(network, x);
    ASSERT_EQ(outputs.cols(), 2u);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        EXPECT_NEAR(outputs.data()[i], 1 / (1 + std::exp(-static_cast<double>(scores.data()[i]))), 1e-6);
}

IcarlOptions quick() {
    IcarlOptions o;
    o.hidden = {24, 16}, o.batch = 32, o.base_epochs = 30, o.base_min_steps = 0, o.epochs = 15,
    o.exemplars = 6;
    return o;
}

TEST(Icarl, keeps_so_many_rows_of_each_class_all_of_them_taught) {
    Icarl learner(quick());
    const Examples base = test::blobs(0, 3, 20, 12, 1), next = test::blobs(3, 1, 4, 12, 2);
    learner.learn(base), learner.learn(next);
    const Exemplars& kept = learner.exemplars();
    EXPECT_EQ(kept.columns,
              (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3}));
    for (std::size_t i = 0; i < kept.rows.rows(); ++i) {
        const Examples& from = kept.columns[i] == 3 ? next : base;
        bool found = false;
        for (std::size_t r = 0; r < from.size() && !found; ++r)
            found = index_of(from.labels[r]) == kept.columns[i] &&
                    std::equal(kept.rows.row(i), kept.rows.row(i) + 12, from.x.row(r));
        EXPECT_TRUE(found) << "exemplar " << i << " is no row of its class";
    }
    EXPECT_EQ(learner.memory().at("examples"), 22 * 12 * sizeof(float));
}

TEST(Icarl, keeps_the_exemplars_of_an_old_class_when_another_is_taught) {
    Icarl learner(quick());
    learner.learn(test::blobs(0, 3, 20, 12, 1));
    const Matrix before = learner.exemplars().rows;
    learner.learn(test::blobs(3, 1, 20, 12, 2));
    EXPECT_TRUE(std::equal(before.data(), before.data() + before.size(), learner.exemplars().rows.data()));
}

// With one row per old class and none of its data, what the old outputs say is what holds the old classes.
TEST(Icarl, forgets_more_without_distillation) {
    double right[2] = {};
    for (int distill : {0, 1})
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            IcarlOptions o = quick();
            o.exemplars = 1, o.epochs = 60, o.distill = distill != 0;
            Icarl learner(o, seed);
            learner.learn(test::blobs(0, 8, 20, 12, 1, 0.8));
            for (std::size_t c = 8; c < 12; ++c) learner.learn(test::blobs(c, 1, 20, 12, 2, 0.8));
            const Examples probe = test::blobs(0, 8, 40, 12, 3, 0.8);
            const auto answers = learner.predict(probe.x);
            for (std::size_t i = 0; i < answers.size(); ++i) right[distill] += answers[i] == probe.labels[i];
        }
    std::cout << "  right: " << right[0] << " without, " << right[1] << " with distillation\n";
    EXPECT_GT(right[1], right[0]);
}

}  // namespace
}  // namespace fearnet
