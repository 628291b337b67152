#include <gtest/gtest.h>

#include <cmath>

#include "fearnet/lab/open_world.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

constexpr double kRounding = 1e-12;

using Values = std::vector<double>;

// Expected values: sklearn.metrics.roc_auc_score and roc_curve of scikit-learn 1.2.1.
TEST(Auroc, counts_ties_half_as_scikit_learn_does) {
    const Values known{0.9, 0.8, 0.8, 0.7, 0.5, 0.5, 0.3}, unknown{0.85, 0.8, 0.5, 0.4, 0.3, 0.3, 0.1, 0.05};
    EXPECT_NEAR(auroc(known, unknown), 0.7321428571428572, kRounding);
    EXPECT_EQ(auroc(Values{1, 1}, Values{1}), 0.5);
    EXPECT_EQ(auroc(Values{2, 3}, Values{1}), 1);
    EXPECT_EQ(auroc(Values{0}, Values{1, 2}), 0);
}

TEST(Auroc, is_not_measured_without_rows) {
    EXPECT_TRUE(std::isnan(auroc({}, Values{1})));
    EXPECT_TRUE(std::isnan(auroc(Values{1}, {})));
    EXPECT_TRUE(std::isnan(false_positive_rate(Values{1}, {})));
    EXPECT_TRUE(std::isnan(share_at_least({}, 0.5)));
}

TEST(FalsePositiveRate, takes_the_highest_threshold_with_the_recall) {
    const Values known{0.9, 0.8, 0.8, 0.7, 0.5, 0.5, 0.3}, unknown{0.85, 0.8, 0.5, 0.4, 0.3, 0.3, 0.1, 0.05};
    EXPECT_EQ(false_positive_rate(known, unknown), 0.75);
    EXPECT_EQ(false_positive_rate(known, unknown, 0.8), 0.375);
    EXPECT_EQ(false_positive_rate(known, unknown, 0.5), 0.25);
}

TEST(FalsePositiveRate, drops_one_of_twenty_known_rows_at_95_percent) {
    Values known;
    for (int i = 1; i <= 20; ++i) known.push_back(i / 20.0);
    const Values unknown{0.05, 0.1, 0.12, 0.5, 0.99};
    EXPECT_EQ(false_positive_rate(known, unknown), 0.8);
    EXPECT_NEAR(auroc(known, unknown), 0.675, kRounding);
}

// Expected values: NumPy, from bins (a, b] of numpy.linspace; accuracies and confidences of the five bins
// agree with sklearn.calibration.calibration_curve.
TEST(CalibrationError, weighs_the_bins_by_their_rows) {
    const Values confidence{0.04, 0.1,  0.2,  0.25, 0.35, 0.41, 0.41, 0.55,
                            0.62, 0.71, 0.77, 0.83, 0.9,  0.95, 0.99, 1};
    const std::vector<bool> right{false, true, false, false, true, false, true, true,
                                  false, true, true,  false, true, true,  true, true};
    EXPECT_NEAR(calibration_error(reliability_bins(confidence, right)), 0.3, kRounding);
    const std::vector<ReliabilityBin> bins = reliability_bins(confidence, right, 5);
    EXPECT_NEAR(calibration_error(bins), 0.15375, kRounding);
    EXPECT_NEAR(bins[0].confidence, 0.34 / 3, kRounding);
    EXPECT_NEAR(bins[0].accuracy, 1.0 / 3, kRounding);
    EXPECT_EQ(bins[0].share, 3.0 / 16);
    EXPECT_NEAR(bins[4].confidence, 0.934, kRounding);
    EXPECT_NEAR(bins[4].accuracy, 0.8, kRounding);
}

TEST(CalibrationError, is_zero_for_sure_and_right_answers_and_not_measured_without_rows) {
    EXPECT_EQ(calibration_error(reliability_bins(Values{1, 1}, {true, true})), 0);
    EXPECT_EQ(calibration_error(reliability_bins(Values{1, 1}, {false, false})), 1);
    EXPECT_EQ(calibration_error(reliability_bins(Values{0}, {false})), 0);
    EXPECT_TRUE(std::isnan(calibration_error(reliability_bins({}, {}))));
}

TEST(Coverage, counts_the_rows_whose_class_is_in_the_set) {
    Matrix p(4, 3);
    const float values[4][3] = {{0.5f, 0.2f, 0.01f},   // {a, b}: has a
                                {0.05f, 0.09f, 0.3f},  // {c}: lacks a
                                {0.1f, 0.02f, 0},      // empty: 0.1 is not above 1 - 0.9
                                {0.9f, 0.8f, 0.7f}};   // all: has c
    for (std::size_t i = 0; i < 4; ++i) std::copy_n(values[i], 3, p.row(i));
    const std::vector<ClassId> classes{ClassId{3}, ClassId{5}, ClassId{8}};
    const std::vector<ClassId> truth{ClassId{3}, ClassId{3}, ClassId{3}, ClassId{8}};
    Coverage coverage;
    cover_by_sets(p, classes, truth, coverage);
    EXPECT_EQ(coverage.set_90, 0.5);
    EXPECT_EQ(coverage.set_size, 1.5);
    EXPECT_EQ(coverage.set_empty, 0.25);
    EXPECT_EQ(share_at_least(Values{0.05, 0.04, 0.2, 1}, 0.05), 0.75);
}

TEST(OpenWorldSummary, has_means_over_the_sessions_and_the_largest_deviation) {
    std::vector<OpenWorldRecord> sessions(3);
    sessions[0].of(Detector::softmax).auroc = 0.8;
    sessions[1].of(Detector::softmax).auroc = 0.9;  // the last session has no unknown rows
    sessions[0].coverage.familiar_95 = 0.97;
    sessions[1].coverage.familiar_95 = 0.9;
    sessions[2].coverage.familiar_95 = 0.95;
    sessions[2].reliability = {{0.5, 1, 1}};
    const OpenWorldSummary summary = summarize_open_world(sessions);
    EXPECT_NEAR(summary.of(Detector::softmax).auroc, 0.85, kRounding);
    EXPECT_TRUE(std::isnan(summary.of(Detector::energy).auroc));
    EXPECT_NEAR(summary.coverage.familiar_95, 0.94, kRounding);
    EXPECT_NEAR(summary.deviation.familiar_95, 0.05, kRounding);
    EXPECT_TRUE(std::isnan(summary.deviation.set_90));
    EXPECT_EQ(summary.reliability, sessions[2].reliability);
}

}  // namespace
}  // namespace fearnet
