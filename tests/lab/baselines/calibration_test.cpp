// Whether closed-form learners are as often right as they say.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/learners/kit/linear_readout.hpp"
#include "core/learners/kit/softmax_temperature.hpp"
#include "fearnet/registry.hpp"
#include "lab/baselines/low_rank_gaussian.hpp"
#include "support/accuracy.hpp"
#include "support/blobs.hpp"
#include "support/dense.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

using test::columns_of;
using test::dense;
using test::Dense;

constexpr std::size_t kWidth = 12, kRows = 40;
constexpr double kSpread = 0.7;  // the blobs overlap

Examples overlapping(std::size_t first, std::size_t classes, std::uint64_t seed, std::size_t rows = kRows) {
    return test::blobs(first, classes, rows, kWidth, seed, kSpread);
}

// Mean over 15 bins of equal width, weighted by their rows, of |confidence - accuracy|.
double expected_calibration_error(const Learner& learner, const Examples& e) {
    constexpr std::size_t kBins = 15;
    const Matrix p = learner.probabilities(e.x);
    const std::vector<ClassId> answers = learner.predict(e.x);
    std::vector<double> difference(kBins);
    for (std::size_t i = 0; i < e.size(); ++i) {
        const auto confidence = static_cast<double>(*std::max_element(p.row(i), p.row(i) + p.cols()));
        const auto bin = std::min(static_cast<std::size_t>(confidence * kBins), kBins - 1);
        difference[bin] += confidence - (answers[i] == e.labels[i] ? 1 : 0);
    }
    double sum = 0;
    for (const double d : difference) sum += std::abs(d);
    return sum / static_cast<double>(e.size());
}

class Calibration : public testing::TestWithParam<const char*> {
  protected:
    std::unique_ptr<Learner> make() const {
        LearnerSpec spec;
        spec.learner = GetParam();
        if (spec.learner == "ranpac") spec.settings = {{"ranpac.size", "300"}};
        return make_learner(spec);
    }
    const Examples test_ = overlapping(0, 10, 99, 100);
};

TEST_P(Calibration, confidence_is_near_accuracy_as_classes_come_one_by_one) {
    const auto learner = make();
    learner->learn(overlapping(0, 5, 1));
    EXPECT_LT(expected_calibration_error(*learner, overlapping(0, 5, 98, 100)), 0.1)
        << "after the base session";
    for (std::size_t c = 5; c < 10; ++c) learner->learn(overlapping(c, 1, c));
    EXPECT_GT(test::accuracy(*learner, test_), 0.7);
    EXPECT_LT(expected_calibration_error(*learner, test_), 0.1);
    EXPECT_LT(expected_calibration_error(*restore_learner(learner->save()), test_), 0.1);
}

TEST_P(Calibration, no_base_session_of_several_classes_is_needed) {
    const auto learner = make();
    for (std::size_t c = 0; c < 10; ++c) learner->learn(overlapping(c, 1, 10 + c));
    EXPECT_LT(expected_calibration_error(*learner, test_), 0.1);
}

TEST_P(Calibration, the_scale_of_the_rows_does_not_matter) {
    if (std::string(GetParam()) == "fecam") GTEST_SKIP() << "takes roots of the features";
    for (const float factor : {1e-3f, 1e3f}) {
        const auto scaled = [&](Examples e) {
            for (std::size_t i = 0; i < e.x.size(); ++i) e.x.data()[i] *= factor;
            return e;
        };
        const auto learner = make();
        learner->learn(scaled(overlapping(0, 10, 1)));
        EXPECT_LT(expected_calibration_error(*learner, scaled(test_)), 0.1) << factor;
    }
}

TEST_P(Calibration, a_damaged_temperature_is_refused) {
    const auto learner = make();
    learner->learn(overlapping(0, 5, 1));
    State state = learner->save();
    ASSERT_TRUE(state.has("temperature"));
    for (const std::vector<double>& damaged :
         {std::vector<double>{}, {1, 2, 3}, {std::numeric_limits<double>::quiet_NaN()}}) {
        state.set("temperature", damaged);
        EXPECT_THROW(restore_learner(state), Error) << damaged.size();
    }
}

INSTANTIATE_TEST_SUITE_P(Every, Calibration, testing::Values("nearest-mean", "ridge", "ranpac", "fecam"),
                         [](const auto& learner) {
                             std::string name = learner.param;
                             std::erase(name, '-');
                             return name;
                         });

// Whatever the learner fits, in double and with the row really gone.
class LeftOutRows : public testing::Test {
  protected:
    static constexpr double kTolerance = 2e-4;

    LeftOutRows() { moments_.add(rows_.x, columns_, 3, true); }
    Dense without(std::size_t row) const {
        Dense x(static_cast<Eigen::Index>(rows_.size()) - 1, static_cast<Eigen::Index>(kWidth));
        const Dense all = dense(rows_.x);
        for (Eigen::Index i = 0; i < x.rows(); ++i)
            x.row(i) = all.row(i + (i >= static_cast<Eigen::Index>(row)));
        return x;
    }
    Dense targets_without(std::size_t row) const {
        Dense y = Dense::Zero(static_cast<Eigen::Index>(rows_.size()) - 1, 3);
        for (std::size_t i = 0, k = 0; i < rows_.size(); ++i)
            if (i != row) y(static_cast<Eigen::Index>(k++), columns_[i]) = 1;
        return y;
    }

    Examples rows_ = overlapping(0, 3, 1, 10);
    std::vector<std::int32_t> columns_ = columns_of(rows_);
    ClassMoments moments_;
};

TEST_F(LeftOutRows, ridge_scores_are_those_of_a_fit_without_the_row) {
    constexpr double kLambda = 0.1;
    for (const bool intercept : {false, true}) {
        const LeftOut fast = ridge_left_out(moments_, kLambda, intercept, rows_.x, columns_);
        EXPECT_EQ(dense(fast.readout.weights), dense(ridge_readout(moments_, kLambda, intercept).weights));
        Dense all = dense(rows_.x);
        if (intercept) all.rowwise() -= all.colwise().mean().eval();
        const double penalty = kLambda * (all.transpose() * all).trace() / kWidth;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            Dense x = without(i), y = targets_without(i);
            Eigen::RowVectorXd center = Eigen::RowVectorXd::Zero(x.cols()),
                               mean = Eigen::RowVectorXd::Zero(3);
            if (intercept) center = x.colwise().mean(), mean = y.colwise().mean();
            x.rowwise() -= center, y.rowwise() -= mean;
            const Dense gram = x.transpose() * x + penalty * Dense::Identity(x.cols(), x.cols());
            const Dense weights = gram.ldlt().solve(x.transpose() * y);
            const Dense score = (dense(rows_.x).row(static_cast<Eigen::Index>(i)) - center) * weights + mean;
            for (std::size_t c = 0; c < 3; ++c)
                EXPECT_NEAR(fast.scores(i, c), score(0, static_cast<Eigen::Index>(c)), kTolerance)
                    << "row " << i << ", class " << c << ", intercept " << intercept;
        }
    }
}

TEST_F(LeftOutRows, nearest_mean_scores_are_those_of_a_mean_without_the_row) {
    for (const bool unit_length : {false, true}) {
        const Matrix fast = nearest_mean_left_out(
            moments_, unit_length, nearest_mean_readout(moments_, unit_length), rows_.x, columns_);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            ClassMoments others = moments_;
            others.remove(rows_.x.view().slice(i, 1), std::span(columns_).subspan(i, 1));
            const Matrix score = nearest_mean_readout(others, unit_length).scores(rows_.x.view().slice(i, 1));
            for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(fast(i, c), score(0, c), kTolerance) << i;
        }
    }
}

TEST_F(LeftOutRows, mahalanobis_distances_are_near_those_of_a_covariance_without_the_row) {
    const std::size_t n = 20;
    const Examples rows = overlapping(0, 1, 3, n);
    for (const bool correlation : {false, true}) {
        const CovarianceShrinkage shrinkage{0.3, 0, correlation};
        const auto distances = [&](MatrixView fitted, MatrixView asked) {
            std::vector<double> result(asked.rows);
            Matrix work, projected;
            MahalanobisDistance(low_rank_covariance(fitted, 0), shrinkage)(asked, result, work, projected);
            return result;
        };
        const MahalanobisDistance all(low_rank_covariance(rows.x, 0), shrinkage);
        const std::vector<double> with = distances(rows.x, rows.x);
        double error = 0, error_with = 0;
        for (std::size_t i = 0; i < n; ++i) {
            Matrix others(n - 1, kWidth);
            for (std::size_t k = 0; k + 1 < n; ++k)
                std::copy_n(rows.x.row(k + (k >= i)), kWidth, others.row(k));
            const double exact = distances(others, rows.x.view().slice(i, 1))[0];
            error += std::abs(all.left_out(with[i], n) / exact - 1) / n;
            error_with += std::abs(with[i] / exact - 1) / n;
        }
        EXPECT_GT(error_with, 0.3) << "the row matters";
        EXPECT_LT(error, correlation ? 0.2 : 0.1) << "correlation " << correlation;
    }
}

TEST(SoftmaxTemperature, is_that_of_logarithms_of_probabilities_times_a_factor) {
    constexpr std::size_t kMany = 4000;
    constexpr double kFactor = 20;
    Rng rng(5);
    Matrix scores(kMany, 3);
    std::vector<std::int32_t> columns;
    for (std::size_t i = 0; i < kMany; ++i) {
        std::array<double, 3> p{};
        double sum = 0;
        for (double& v : p) sum += v = std::exp(2 * rng.normal());
        double left = rng.uniform() * sum;
        std::int32_t own = 0;
        while (own < 2 && left >= p[static_cast<std::size_t>(own)])
            left -= p[static_cast<std::size_t>(own++)];
        for (std::size_t c = 0; c < 3; ++c) scores(i, c) = static_cast<float>(kFactor * std::log(p[c]));
        columns.push_back(own);
    }
    SoftmaxTemperature fit;
    EXPECT_EQ(fit.value(7), 1) << "nothing is known";
    fit.add(scores.view().slice(0, kMany / 2), std::span(columns).first(kMany / 2), 5);
    fit.add(scores.view().slice(kMany / 2, kMany / 2), std::span(columns).subspan(kMany / 2), 5);
    EXPECT_NEAR(fit.value(5) / kFactor, 1, 0.1);
    EXPECT_NEAR(fit.value(10) / kFactor, 2, 0.2);
}

}  // namespace
}  // namespace fearnet
