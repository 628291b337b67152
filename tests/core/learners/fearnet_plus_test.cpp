// What FearNetPlus does with its parts: learning, sleep, budgets, saved states.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/learners/plus/fearnet_plus.hpp"
#include "fearnet/registry.hpp"
#include "support/accuracy.hpp"
#include "support/blobs.hpp"
#include "support/dense.hpp"
#include "support/memory.hpp"

namespace fearnet {
namespace {

using test::accuracy;
using test::columns_of;
using test::dense;
using test::total_memory;
using Vector = Eigen::VectorXd;

// How sure it is of its answers, and how many are right.
std::pair<double, double> sure_and_right(const Learner& learner, const Examples& probe) {
    const Matrix p = learner.probabilities(probe.x);
    double sure = 0;
    for (std::size_t i = 0; i < p.rows(); ++i) sure += *std::max_element(p.row(i), p.row(i) + p.cols());
    return {sure / static_cast<double>(p.rows()), accuracy(learner, probe)};
}

TEST(FearNetPlus, is_as_sure_as_it_is_right) {
    for (const char* shrinkage : {"0.05", "30"}) {
        LearnerSpec spec;
        spec.learner = "fearnet-plus";
        spec.settings = {{"readout.ridge", shrinkage}};
        const auto learner = make_learner(spec);
        learner->learn(test::blobs(0, 8, 60, 10, 1, 1.6));
        const auto [sure, right] = sure_and_right(*learner, test::blobs(0, 8, 100, 10, 5, 1.6));
        EXPECT_LT(right, 0.95) << "too easy to tell";
        EXPECT_NEAR(sure, right, 0.05) << "shrinkage " << shrinkage;
    }
}

TEST(FearNetPlus, the_base_session_reports_every_ridge_it_tries) {
    LearnerSpec spec;
    spec.learner = "fearnet-plus";
    spec.settings = {{"features.transform", "none"}};
    double last = 0, largest = 0;
    std::size_t calls = 0;
    make_learner(spec)->learn(test::blobs(0, 8, 60, 10, 1, 1.6), [&](const ProgressEvent& e) {
        const double share = static_cast<double>(e.done) / static_cast<double>(e.total);
        largest = std::max(largest, share - last);
        last = share;
        return ++calls, true;
    });
    EXPECT_GE(calls, 4u);
    EXPECT_LE(largest, 0.45);
    EXPECT_EQ(last, 1);
}

// Two classes around the same mean, one wide and one narrow: nothing that compares means can tell them apart.
Examples rings(std::size_t rows, std::uint64_t seed) {
    Examples e = test::blobs(0, 4, rows, 10, seed);
    Rng rng(seed + 100);
    Matrix more(2 * rows, 10);
    for (std::size_t i = 0; i < 2 * rows; ++i) {
        const double spread = i < rows ? 0.2 : 1.2;
        for (std::size_t j = 0; j < 10; ++j)
            more(i, j) =
                static_cast<float>((j == 0 ? 3 : 0) + (i < rows ? 0.0 : 0.3) + spread * rng.normal());
        e.labels.push_back(ClassId{i < rows ? 4 : 5});
    }
    const std::size_t first = e.x.rows();
    e.x.resize_rows(first + 2 * rows);
    std::copy_n(more.data(), more.size(), e.x.row(first));
    return e;
}

TEST(FearNetPlus, tells_classes_apart_by_their_shape) {
    const Examples train = rings(60, 1), test = rings(40, 2);
    LearnerSpec spec;
    spec.learner = "fearnet-plus";
    spec.settings = {{"features.transform", "none"}};  // random features can tell them, too
    const auto plus = make_learner(spec);
    spec.settings.emplace_back("covariance.strength", "0");
    const auto without = make_learner(spec);
    plus->learn(train);
    without->learn(train);
    EXPECT_GT(accuracy(*plus, test), accuracy(*without, test) + 0.03);
}

TEST(FearNetPlus, sleep_chooses_again_when_more_classes_came_than_there_were_and_keeps_no_row) {
    LearnerSpec spec;
    spec.learner = "fearnet-plus";
    const auto learner = make_learner(spec);
    learner->learn(test::blobs(0, 2, 30, 12, 1));
    const auto chosen_with = [&] { return learner->save().integer("chosen_with").at(0); };
    EXPECT_EQ(chosen_with(), 2);
    for (std::size_t c = 2; c < 6; ++c) learner->learn(test::blobs(c, 1, 30, 12, 1 + c));
    EXPECT_EQ(learner->recent_classes().size(), 4u);
    EXPECT_EQ(learner->consolidated_classes().size(), 2u);
    EXPECT_GT(learner->memory()["examples"], 0u);
    const Examples probe = test::blobs(0, 6, 20, 12, 50);
    const double before = accuracy(*learner, probe);
    learner->sleep();
    EXPECT_EQ(chosen_with(), 6);
    EXPECT_EQ(learner->memory()["examples"], 0u);
    EXPECT_TRUE(learner->recent_classes().empty());
    EXPECT_GE(accuracy(*learner, probe), before);
    learner->learn(test::blobs(6, 1, 30, 12, 9));
    learner->sleep();
    EXPECT_EQ(chosen_with(), 6) << "one class tells less than the six before";
}

std::unique_ptr<Learner> made(std::vector<std::pair<std::string, std::string>> settings = {}) {
    LearnerSpec spec;
    spec.learner = "fearnet-plus";
    spec.settings = std::move(settings);
    return make_learner(spec);
}

TEST(FearNetPlus, tells_two_classes_of_one_row_each_apart) {
    const auto learner = made();
    const Examples one = test::blobs(0, 1, 1, 6, 1), other = test::blobs(1, 1, 1, 6, 2);
    learner->learn(one);
    learner->learn(other);
    EXPECT_EQ(learner->predict(one.x), one.labels);
    EXPECT_EQ(learner->predict(other.x), other.labels);
    learner->sleep();
    EXPECT_EQ(learner->predict(other.x), other.labels);
}

TEST(FearNetPlus, refuses_rows_without_a_finite_variance_and_stays_as_it_was) {
    const auto learner = made();
    learner->learn(test::blobs(0, 3, 20, 6, 1));
    Examples huge = test::blobs(3, 1, 10, 6, 2);
    huge.x(4, 2) = 3e38f;
    EXPECT_THROW(learner->learn(huge), Error);
    EXPECT_EQ(learner->classes().size(), 3u);
    EXPECT_GT(accuracy(*learner, test::blobs(0, 3, 20, 6, 9)), 0.9);
}

TEST(FearNetPlus, saved_between_sleeps_it_answers_and_sleeps_the_same) {
    const auto learner = made({{"covariance.strength", "0.5"}});
    learner->learn(test::blobs(0, 3, 30, 12, 1, 0.8));
    for (std::size_t c = 3; c < 7; ++c) {
        learner->learn(test::blobs(c, 1, 30, 12, 1 + c, 0.8));
        if (c == 4) learner->sleep();
    }
    learner->learn(test::blobs(1, 1, 15, 12, 40, 0.8));  // met again
    const auto copy = restore_learner(learner->save());
    const Examples probe = test::blobs(0, 7, 20, 12, 50, 0.8);
    for (int slept = 0; slept < 2; ++slept) {
        const Matrix a = learner->probabilities(probe.x), b = copy->probabilities(probe.x);
        EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data())) << slept;
        learner->sleep();
        copy->sleep();
    }
    EXPECT_GT(accuracy(*learner, probe), 0.8);
}

TEST(FearNetPlus, sleeps_whatever_the_ridge_was_and_is) {
    for (const char* shrinkage : {"0.0001", "1", "100"})
        for (const char* strength : {"1e-20", "50"}) {
            const auto learner = made({{"readout.ridge", shrinkage}, {"covariance.strength", strength}});
            learner->learn(test::blobs(0, 2, 12, 16, 1));
            for (std::size_t c = 2; c < 8; ++c) {
                learner->learn(test::blobs(c, 1, 12, 16, 1 + c, c % 2 ? 0.1 : 1.0));
                if (c % 3 == 0) learner->sleep();
            }
            learner->sleep();
            EXPECT_GT(accuracy(*learner, test::blobs(0, 8, 10, 16, 60)), 0.7) << shrinkage << " " << strength;
        }
}

TEST(FearNetPlus, refuses_a_state_whose_numbers_contradict_each_other) {
    const auto learner = made();
    learner->learn(test::blobs(0, 3, 20, 6, 1));
    learner->learn(test::blobs(3, 1, 20, 6, 2));
    const State good = learner->save();
    const auto refused = [&](const std::string& key, std::size_t at, std::int64_t value) {
        State bad = good;
        bad.values<std::vector<std::int64_t>>(key).at(at) = value;
        EXPECT_THROW(restore_learner(bad), Error) << key;
    };
    refused("seed", 1, 0);     // no session, but classes
    refused("counts", 3, 10);  // fewer rows than are recent
    refused("counts", 0, std::int64_t{1} << 62);
    refused("covariances.sizes", 2, -1);
    refused("covariances.sizes", 2, 1);
    refused("covariances.sizes", 2, 1000);
    refused("chosen_with", 0, 0);
    refused("consolidated", 0, 7);
    for (const auto& [at, value] : {std::pair{0, 0.0}, {0, 1e30}, {1, -1.0}, {2, -5.0}}) {
        State bad = good;
        bad.values<std::vector<double>>("settings").at(static_cast<std::size_t>(at)) = value;
        EXPECT_THROW(restore_learner(bad), Error) << at << " " << value;
    }
    for (const double t : {0.0, 1e-30, 2000.0, std::numeric_limits<double>::quiet_NaN()}) {
        State bad = good;
        bad.set("temperature", t);
        EXPECT_THROW(restore_learner(bad), Error) << t;
        for (std::size_t i = 0; i < 3; ++i) {  // temperature, exponent, margin
            std::vector<double> calibration = good.list<double>("temperature", 3);
            calibration[i] = i == 1 && t == 0 ? 1.5 : -t;
            bad.set("temperature", calibration);
            EXPECT_THROW(restore_learner(bad), Error) << t << " as number " << i;
        }
    }
    State old = good;
    old.set("temperature", 2.0);  // as before rows had temperatures of their own
    EXPECT_NO_THROW(restore_learner(old));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& [key, value] : {std::pair{"means", nan},
                                     {"readout.weights", nan},
                                     {"readout.bias", nan},
                                     {"examples.x", nan},
                                     {"scatter.roots", 1e30f}}) {
        State bad = good;
        bad.values<Matrix>(key).data()[0] = value;
        EXPECT_THROW(restore_learner(bad), Error) << key;
    }
    State gone = good;
    gone.set("counts.gone", std::vector<std::int64_t>{-1});
    EXPECT_THROW(restore_learner(gone), Error);
    State nothing = made()->save();
    nothing.values<std::vector<std::int64_t>>("seed").at(1) = 5;  // five sessions of nothing
    EXPECT_THROW(restore_learner(nothing), Error);
}

TEST(FearNetPlus, learns_on_after_a_class_is_forgotten) {
    const auto learner = made();
    learner->learn(test::blobs(0, 4, 30, 10, 1));
    learner->learn(test::blobs(4, 1, 30, 10, 2));
    learner->forget(ClassId{4});  // the only recent one
    EXPECT_TRUE(learner->recent_classes().empty());
    learner->sleep();
    learner->forget(ClassId{1});
    learner->learn(test::blobs(5, 1, 30, 10, 3));
    learner->sleep();
    EXPECT_EQ(learner->classes().size(), 4u);
    const Examples probe = test::blobs(5, 1, 30, 10, 9);
    EXPECT_GT(accuracy(*learner, probe), 0.9);
}

TEST(FearNetPlus, sleeps_after_a_class_that_varied_little_is_forgotten) {
    // The first class has nearly all rows and hardly any variance; the later ones have few and a lot.
    const auto rows = [](std::int32_t first, std::int32_t classes, std::size_t each, float spread,
                         std::uint64_t seed) {
        Examples e;
        Rng rng(seed);
        e.x = Matrix(static_cast<std::size_t>(classes) * each, 6);
        rng.fill_normal({e.x.data(), e.x.size()});
        for (std::size_t i = 0; i < e.x.rows(); ++i) {
            const auto c = first + static_cast<std::int32_t>(i / each);
            e.labels.push_back(ClassId{c});
            for (std::size_t j = 0; j < 6; ++j)
                e.x(i, j) = spread * e.x(i, j) + (j == static_cast<std::size_t>(c) ? 3.0f : 0.0f);
        }
        return e;
    };
    const auto learner = made();
    learner->learn(rows(0, 1, 1000, 0.01f, 1));
    learner->learn(rows(1, 1, 10, 0.01f, 2));
    learner->sleep();
    learner->learn(rows(2, 3, 10, 0.5f, 3));
    learner->forget(ClassId{0});
    learner->sleep();
    EXPECT_GT(accuracy(*learner, rows(2, 3, 50, 0.5f, 4)), 0.9);
}

TEST(FearNetPlus, its_first_class_waits_for_others_so_that_sleep_can_choose) {
    const auto learner = made();
    learner->learn(test::blobs(0, 1, 40, 8, 1));
    EXPECT_EQ(learner->recent_classes().size(), 1u);
    learner->learn(test::blobs(1, 1, 40, 8, 2));
    learner->sleep();
    EXPECT_TRUE(learner->recent_classes().empty());
    EXPECT_EQ(learner->consolidated_classes().size(), 2u);
    const Examples probe = test::blobs(0, 2, 40, 8, 9);
    EXPECT_GT(accuracy(*learner, probe), 0.9);
    // Sure of what it knows well: a temperature without any evidence would leave all classes alike.
    const Matrix p = learner->probabilities(probe.x);
    double sure = 0;
    for (std::size_t i = 0; i < p.rows(); ++i)
        sure += std::max(p(i, 0), p(i, 1)) / static_cast<double>(p.rows());
    EXPECT_GT(sure, 0.8);
    // One class after another with a sleep each: still not blind, still no less sure.
    const auto one_by_one = made();
    for (std::size_t c = 0; c < 3; ++c) {
        one_by_one->learn(test::blobs(c, 1, 40, 8, c + 1));
        one_by_one->sleep();
    }
    const Matrix q = one_by_one->probabilities(test::blobs(0, 3, 40, 8, 9).x);
    double most = 0;
    for (std::size_t i = 0; i < q.size(); ++i) most = std::max(most, static_cast<double>(q.data()[i]));
    EXPECT_GT(most, 0.6);
}

TEST(FearNetPlus, its_formula_scores_as_it_does) {
    constexpr std::pair<PlusTransform, std::int64_t> kMaps[] = {{PlusTransform::none, 1},
                                                                {PlusTransform::sqrt, 1},
                                                                {PlusTransform::random, 1},
                                                                {PlusTransform::random, 4}};
    for (const auto& [transform, frames] : kMaps) {
        FearNetPlus learner(
            {.transform = transform, .random_features = 20, .frames = frames, .covariance_strength = 0.4});
        learner.learn(test::blobs(4, 3, 30, 8, 1, 0.8));
        learner.learn(test::blobs(1, 1, 7, 8, 2, 0.8));  // two directions only, and a smaller number
        const PlusFormula f = learner.formula();
        const bool random = transform == PlusTransform::random;
        ASSERT_EQ(f.random.rows(), random ? 20u : 0u);
        ASSERT_EQ(f.directions.rows(), 3 * 8u + 2)
            << "a class has no more directions than features, and one for every three rows";
        const Examples probe = test::blobs(0, 6, 5, 8, 7, 0.8);
        const Matrix expected = learner.probabilities(probe.x);
        for (std::size_t i = 0; i < probe.size(); ++i) {
            Vector x = dense(probe.x.view().slice(i, 1)).row(0).transpose();
            if (f.root) x = x.array().sign() * x.array().abs().sqrt();
            if (random) {
                ASSERT_EQ(f.frames, static_cast<std::size_t>(frames));
                const Eigen::Index piece = 8 / static_cast<Eigen::Index>(frames);
                Vector sum = Vector::Zero(20);
                for (Eigen::Index k = 0; k < frames; ++k)
                    sum += (dense(f.random) *
                                (x.segment(k * piece, piece) - dense(f.given_center).row(0).transpose()) +
                            dense(f.random_bias).row(0).transpose())
                               .cwiseMax(0);
                x = sum / static_cast<double>(frames);
            }
            x -= dense(f.center).row(0).transpose();
            const Vector along = dense(f.directions) * x - dense(f.offsets).row(0).transpose();
            Vector scores = dense(f.weights) * x + dense(f.bias).row(0).transpose() +
                            dense(f.sums) * along.cwiseProduct(along);
            const double ratio = (scores.maxCoeff() - scores.mean()) / static_cast<double>(f.margin) + 1e-3;
            scores *= std::pow(ratio, -static_cast<double>(f.exponent));
            scores = (scores.array() - scores.maxCoeff()).exp();
            scores /= scores.sum();
            for (std::size_t c = 0; c < 4; ++c)
                EXPECT_NEAR(scores(static_cast<Eigen::Index>(c)), expected(i, c), 1e-4)
                    << static_cast<int>(transform);
        }
    }
}

TEST(FearNetPlus, keeps_to_a_budget_by_letting_go_of_rows_then_of_directions) {
    const auto taught = [](std::int64_t budget) {
        auto learner =
            std::make_unique<FearNetPlus>(PlusOptions{.covariance_strength = 0.4, .memory_budget = budget});
        learner->learn(test::blobs(0, 3, 40, 12, 1, 0.8));
        learner->learn(test::blobs(3, 1, 40, 12, 2, 0.8));
        return learner;
    };
    const auto free = taught(0);
    const std::size_t rows = free->memory()["examples"], all = total_memory(*free);
    ASSERT_GT(rows, 0u);
    const auto without_rows = taught(static_cast<std::int64_t>(all - 1));
    EXPECT_EQ(without_rows->memory()["examples"], 0u);
    EXPECT_EQ(total_memory(*without_rows), all - rows);
    EXPECT_TRUE(without_rows->recent_classes().empty()) << "nothing is left to sleep on";
    const auto with_rows = taught(static_cast<std::int64_t>(all));
    EXPECT_EQ(with_rows->memory()["examples"], rows);
    with_rows->sleep();
    EXPECT_LE(total_memory(*with_rows), all);
    EXPECT_EQ(without_rows->consolidated_classes().size(), 4u);
    EXPECT_EQ(without_rows->formula().directions.rows(), free->formula().directions.rows());
    const auto small = static_cast<std::int64_t>(all - rows - 200);
    const auto fewer = taught(small);
    EXPECT_LE(total_memory(*fewer), static_cast<std::size_t>(small));
    EXPECT_LT(fewer->formula().directions.rows(), free->formula().directions.rows());
    EXPECT_GT(fewer->formula().directions.rows(), 0u);
    EXPECT_GT(accuracy(*fewer, test::blobs(0, 4, 20, 12, 9, 0.8)), 0.8);
    // More classes until nothing is left to give up: refused, and as it was.
    std::size_t known = 4;
    const auto teach_on = [&] {
        for (; known < 60; ++known) fewer->learn(test::blobs(known, 1, 10, 12, 3 + known));
    };
    EXPECT_THROW(teach_on(), Error);
    EXPECT_LT(known, 60u);
    EXPECT_EQ(fewer->classes().size(), known);
    EXPECT_LE(total_memory(*fewer), static_cast<std::size_t>(small));
    EXPECT_GT(PlusModel::least_bytes(known + 1, 12, 12, 0), static_cast<std::size_t>(small))
        << "one more class does not fit without any axis";
    EXPECT_THROW(taught(100), Error);
}

TEST(FearNetPlus, has_no_router_and_says_which_classes_wait_for_sleep) {
    const auto learner = made();
    learner->learn(test::blobs(0, 3, 30, 12, 1, 0.3));
    learner->learn(test::blobs(3, 2, 30, 12, 2, 0.3));
    EXPECT_EQ(learner->routing(), nullptr);
    EXPECT_EQ(learner->recent_classes(), (std::vector<ClassId>{ClassId{3}, ClassId{4}}));
    EXPECT_EQ(learner->consolidated_classes().size(), 3u);
    learner->sleep();
    EXPECT_TRUE(learner->recent_classes().empty());
    EXPECT_EQ(learner->consolidated_classes().size(), 5u);
}

}  // namespace
}  // namespace fearnet
