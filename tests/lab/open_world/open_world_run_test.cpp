// Runs that measure open-world answers.
#include <gtest/gtest.h>

#include <cmath>

#include "fearnet/lab/report.hpp"
#include "fearnet/lab/results.hpp"
#include "fearnet/lab/run.hpp"
#include "lab/open_world/open_world_test_set.hpp"
#include "support/thermometer.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

constexpr int kClasses = 8;
constexpr double kFloatRounding = 1e-6;

// The first feature is the number of the class, the second differs between the rows of a class.
FeatureSet telling_rows() {
    FeatureSet set;
    set.name = "telling";
    for (int c = 0; c < kClasses; ++c) set.names.push_back("class " + std::to_string(c));
    for (Examples* e : {&set.train, &set.test}) {
        e->x = Matrix(5 * kClasses, 2);
        for (int i = 0; i < 5 * kClasses; ++i) {
            e->labels.push_back(ClassId{i % kClasses});
            e->x(static_cast<std::size_t>(i), 0) = static_cast<float>(i % kClasses);
            e->x(static_cast<std::size_t>(i), 1) = 0.1f * static_cast<float>(i / kClasses);
        }
    }
    return set;
}

RunHooks hooks(bool open_world) {
    RunHooks hooks = default_run_hooks();
    hooks.make_learner = [=](const LearnerSpec&) { return std::make_unique<test::Thermometer>(open_world); };
    hooks.offline_scores = [](const LearnerSpec&, const LabeledView& train, MatrixView test,
                              const Progress&) {
        test::Thermometer learner;
        learner.learn(train);
        return ClassScores{learner.classes(), learner.scores(test)};
    };
    return hooks;
}

RunRecord run(bool open_world, MatrixView far_data = {}) {
    RunOptions options;
    options.protocol.open_world = true;
    options.far_data = far_data;
    return run_protocol(telling_rows(), options, {}, hooks(open_world));
}

TEST(OpenWorldRun, measures_a_learner_that_knows_exactly_what_it_was_taught) {
    Matrix far(3, 1);
    for (std::size_t i = 0; i < 3; ++i) far(i, 0) = -1;
    const RunRecord record = run(true, far);
    ASSERT_TRUE(record.finished);
    for (const SessionRecord& s : record.sessions) {
        SCOPED_TRACE(s.session);
        ASSERT_TRUE(s.open_world);
        const Detection& familiar = s.open_world->of(Detector::familiarity);
        if (s.session + 1 < record.sessions.size()) {
            EXPECT_EQ(familiar.auroc, 1);
            EXPECT_EQ(familiar.fpr95, 0);
        } else {
            EXPECT_TRUE(std::isnan(familiar.auroc)) << "every class is taught";
        }
        EXPECT_EQ(familiar.auroc_far_data, 1);
        EXPECT_EQ(s.open_world->coverage.familiar_95, 1);
        EXPECT_EQ(s.open_world->coverage.set_90, 1);
        EXPECT_EQ(s.open_world->coverage.set_size, 1);
        EXPECT_EQ(s.open_world->coverage.set_empty, 0);
        for (const Detection& d : s.open_world->detection) {
            EXPECT_GE(d.auroc_noise, 0);
            EXPECT_LE(d.auroc_uniform, 1);
        }
    }
    ASSERT_TRUE(record.open_world);
    EXPECT_EQ(record.open_world->of(Detector::familiarity).auroc, 1);
    EXPECT_NEAR(record.open_world->deviation.set_90, 0.1, kFloatRounding);
    EXPECT_EQ(record.open_world->reliability.size(), kReliabilityBins);
}

TEST(OpenWorldRun, leaves_out_what_a_learner_does_not_estimate) {
    const RunRecord record = run(false);
    ASSERT_TRUE(record.open_world);
    EXPECT_TRUE(std::isnan(record.open_world->of(Detector::familiarity).auroc));
    EXPECT_TRUE(std::isnan(record.open_world->of(Detector::familiarity).auroc_noise));
    EXPECT_TRUE(std::isnan(record.open_world->coverage.familiar_95));
    EXPECT_TRUE(std::isnan(record.open_world->coverage.set_90));
    EXPECT_TRUE(std::isnan(record.open_world->of(Detector::energy).auroc_far_data)) << "no far data";
    EXPECT_GE(record.open_world->calibration_error, 0);
    EXPECT_GE(record.open_world->of(Detector::neighbors).auroc, 0);
    const std::string text = open_world_table({record});
    EXPECT_EQ(text.find("familiarity"), text.npos) << text;
    EXPECT_EQ(text.find("far data"), text.npos) << text;
    EXPECT_NE(text.find("nearest neighbors"), text.npos) << text;
    EXPECT_NE(text.find("calibration error"), text.npos) << text;
}

TEST(OpenWorldRun, changes_nothing_else_and_is_off_by_default) {
    RunRecord with = run(true), without = run_protocol(telling_rows(), {}, {}, hooks(true));
    EXPECT_FALSE(without.open_world);
    EXPECT_EQ(open_world_table({without}), "");
    EXPECT_EQ(with.omega.omega_all, without.omega.omega_all);
    EXPECT_EQ(summary_json({without}).find("open_world"), std::string::npos);
    EXPECT_NE(summary_json({with}).find("\"auroc_familiarity\": 1.0"), std::string::npos);
}

TEST(OpenWorldRun, prints_coverage_beside_the_nominal_values) {
    const std::string text = open_world_table({run(true)});
    EXPECT_NE(
        text.find("familiarity of at least 5 %: 100.0 % of known rows (nominal 95 %, largest deviation 5.0 "
                  "points)"),
        text.npos)
        << text;
    EXPECT_NE(text.find("90 % sets: 1.000 classes on average, 0.0 % of them empty"), text.npos) << text;
}

TEST(OpenWorldRun, is_the_same_after_its_way_through_json) {
    const RunRecord record = run(true), back = parse_run_record(run_record_json(record), "r.json");
    EXPECT_EQ(run_record_json(back), run_record_json(record));
    EXPECT_TRUE(back.protocol.open_world);
    ASSERT_TRUE(back.open_world);
    EXPECT_EQ(back.open_world->of(Detector::linear).auroc, record.open_world->of(Detector::linear).auroc);
    EXPECT_EQ(back.open_world->reliability, record.open_world->reliability);
}

TEST(OpenWorldRun, repeats_with_the_same_seed) {
    EXPECT_EQ(summary_json({run(true)}).substr(0, 200), summary_json({run(true)}).substr(0, 200));
    const RunRecord a = run(true), b = run(true);
    for (std::size_t d = 0; d < kDetectors; ++d)
        EXPECT_EQ(a.open_world->detection[d].auroc_noise, b.open_world->detection[d].auroc_noise);
}

TEST(OpenWorldRun, stops_when_the_callback_says_so) {
    RunOptions options;
    options.protocol.open_world = true;
    const RunRecord record = run_protocol(
        telling_rows(), options,
        [](const RunProgress& p) { return p.finished_session == nullptr || p.finished_session->session < 2; },
        hooks(true));
    EXPECT_FALSE(record.finished);
    ASSERT_EQ(record.sessions.size(), 3u);
    EXPECT_TRUE(record.open_world);
}

// log(exp(2 / 0.5) + exp(1 / 0.5)), and so on: the temperature of the softmax is found.
TEST(Energies, use_the_temperature_of_the_softmax) {
    Matrix scores(2, 2);
    scores(0, 0) = 2, scores(0, 1) = 1, scores(1, 0) = -1, scores(1, 1) = 3;
    Matrix probabilities = scores;
    for (std::size_t i = 0; i < 2; ++i) softmax({probabilities.row(i), 2}, 0.5);
    const std::vector<double> energy = energies(scores, probabilities);
    EXPECT_NEAR(energy[0], 4.126928, 1e-4);
    EXPECT_NEAR(energy[1], 6.000335, 1e-3);
}

}  // namespace
}  // namespace fearnet
