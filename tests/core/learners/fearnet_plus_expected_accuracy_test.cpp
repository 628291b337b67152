// What FearNetPlus says of its own accuracy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/learners/plus/expected_accuracy.hpp"
#include "core/learners/plus/fearnet_plus.hpp"
#include "support/blobs.hpp"
#include "support/dense.hpp"

namespace fearnet {
namespace {

using test::normals;

// Rows of `classes` overlapping classes; more of the same with another seed.
Examples overlapping(std::size_t first, std::size_t classes, std::size_t rows, std::uint64_t seed) {
    constexpr std::size_t kFeatures = 40;
    Examples e;
    e.x = normals(classes * rows, kFeatures, seed);
    for (std::size_t c = 0; c < classes; ++c) {
        const Matrix center = normals(1, kFeatures, 100 + first + c);
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t j = 0; j < kFeatures; ++j) e.x(c * rows + r, j) += 0.5f * center(0, j);
            e.labels.push_back(static_cast<ClassId>(first + c));
        }
    }
    return e;
}

double measured(const Learner& learner, std::size_t classes) {
    const Examples fresh = overlapping(0, classes, 400, 77);
    const std::vector<ClassId> answers = learner.predict(fresh.x);
    double right = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) right += answers[i] == fresh.labels[i];
    return right / static_cast<double>(answers.size());
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum / static_cast<double>(values.size());
}

TEST(ExpectedAccuracy, is_what_new_rows_show_in_the_base_session_and_after_later_classes_and_sleep) {
    FearNetPlus learner({.transform = PlusTransform::none});
    EXPECT_TRUE(learner.expected_accuracy().empty()) << "nothing was taught";
    learner.learn(overlapping(0, 8, 60, 1));
    const double base = mean(learner.expected_accuracy());
    EXPECT_NEAR(base, measured(learner, 8), 0.03);
    for (std::size_t c = 8; c < 16; ++c) learner.learn(overlapping(c, 1, 60, 1 + c));
    EXPECT_NEAR(mean(learner.expected_accuracy()), measured(learner, 16), 0.04)
        << "with rows of half of them";
    learner.sleep();
    const double later = mean(learner.expected_accuracy());
    EXPECT_NEAR(later, measured(learner, 16), 0.04) << "with rows of none";
    EXPECT_LT(later, base - 0.02) << "twice as many classes are harder to tell apart";
    const auto copy = FearNetPlus::load(learner.save());
    EXPECT_EQ(copy->expected_accuracy(), learner.expected_accuracy());
}

TEST(ExpectedAccuracy, is_lower_for_classes_that_look_alike_and_unknown_for_a_class_of_one_row) {
    FearNetPlus learner({.transform = PlusTransform::none});
    Examples rows = overlapping(0, 6, 60, 1);
    const Examples twin = overlapping(0, 1, 60, 9);  // class 6 has the center of class 0
    Matrix x = rows.x;
    x.resize_rows(rows.x.rows() + twin.x.rows());
    std::copy_n(twin.x.data(), twin.x.size(), x.row(rows.x.rows()));
    rows.labels.insert(rows.labels.end(), 60, ClassId(6));
    learner.learn({x, rows.labels});
    const std::vector<double> accuracies = learner.expected_accuracy();
    ASSERT_EQ(accuracies.size(), 7u);
    for (const std::size_t other : {1u, 2u, 3u, 4u, 5u}) {
        EXPECT_GT(accuracies[other], accuracies[0] + 0.1);
        EXPECT_GT(accuracies[other], accuracies[6] + 0.1);
    }
    learner.learn(overlapping(7, 1, 1, 3));
    EXPECT_LT(learner.expected_accuracy()[7], 0);
    learner.sleep();
    EXPECT_LT(learner.expected_accuracy()[7], 0);
    learner.forget(ClassId(6));
    EXPECT_EQ(learner.expected_accuracy().size(), 7u);
    EXPECT_GT(learner.expected_accuracy()[0], accuracies[0] + 0.1) << "its twin is gone";
}

TEST(PseudoRows, have_the_accuracy_that_their_spread_was_fitted_to) {
    const Examples rows = overlapping(0, 5, 50, 1);
    ClassMoments moments;
    moments.add(rows.x, test::columns_of(rows), 5, true);
    const SharedCovariance covariance(moments, 0.1);
    const LinearReadout readout = lda_readout(moments, 0.1);
    const PseudoRows pseudo(readout, moments, covariance);
    const std::vector<double> wanted{0.9, 0.8, -1, 0.5, 0.7};
    std::vector<float> spreads(5);
    pseudo.fit(wanted, spreads);
    EXPECT_EQ(spreads[2], 0) << "it was not asked";
    const std::vector<double> accuracies = pseudo.accuracies(spreads);
    for (const std::size_t c : {0u, 1u, 3u, 4u}) EXPECT_NEAR(accuracies[c], wanted[c], 0.01) << c;
}

// Every row can be told from the others by its own direction; only an exact answer without the row is honest.
TEST(ExpectedAccuracy, of_noise_of_many_features_is_that_of_guessing) {
    for (const auto& [per_class, classes, features] :
         {std::array<std::size_t, 3>{5, 4, 1024}, {20, 2, 1024}, {5, 4, 64}}) {
        Matrix x(per_class * classes, features);
        Rng(7).fill_normal({x.data(), x.size()});
        std::vector<ClassId> labels;
        for (std::size_t i = 0; i < x.rows(); ++i) labels.push_back(static_cast<ClassId>(i / per_class));
        FearNetPlus learner{PlusOptions{}};
        learner.learn({x, labels});
        double mean = 0;
        for (const double share : learner.expected_accuracy()) mean += share / static_cast<double>(classes);
        EXPECT_LT(mean, 1.0 / static_cast<double>(classes) + 0.25)
            << per_class << " x " << classes << " x " << features;
    }
}

}  // namespace
}  // namespace fearnet
