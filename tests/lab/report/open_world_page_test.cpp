// The results page of an experiment that measures open-world answers.
#include <gtest/gtest.h>

#include "fearnet/lab/report.hpp"
#include "fearnet/lab/results_page.hpp"
#include "lab/report/page/open_world_plots.hpp"
#include "lab/report/page/tables.hpp"
#include "support/data_files.hpp"
#include "support/xml.hpp"

namespace fearnet::lab::page {
namespace {

constexpr double kRounding = 1e-9;

// `familiarity`: the learner of the row estimates it.
ResultRun run_of(const std::string& row, std::uint64_t seed, bool familiarity) {
    ResultRun run{"open-world", row, "", row + std::to_string(seed), "", "", {}};
    run.record.dataset = "birds", run.record.learner = "fearnet-plus", run.record.seed = seed;
    run.record.classes = 6, run.record.finished = true, run.record.omega = {0.9, 0.8, 0.7};
    std::vector<OpenWorldRecord> measured;
    for (std::size_t i = 0; i < 3; ++i) {
        SessionRecord s;
        s.session = i, s.classes_seen = 3 + i, s.class_name = i == 0 ? "" : "owl";
        OpenWorldRecord& o = s.open_world.emplace();
        for (std::size_t d = familiarity ? 0 : 1; d < kDetectors; ++d)
            o.detection[d] = {0.9 - 0.05 * static_cast<double>(d), 0.25, 1, 0.5, kNotMeasured};
        if (familiarity) o.coverage = {0.9 + 0.02 * static_cast<double>(i), 0.98, 0.875, 1.5, 0.0625};
        o.calibration_error = familiarity ? 0.03 : 0.06;
        o.reliability = {{0.25, 0.5, 0.5}, {0, 0, 0}, {0.75, 1, 0.5}};
        measured.push_back(o);
        run.record.sessions.push_back(s);
    }
    run.record.open_world = summarize_open_world(measured);
    return run;
}

ExperimentResults some_results() {
    ExperimentResults results;
    results.name = "open-world", results.title = "Open-world answers", results.source = "not in the paper";
    for (const std::uint64_t seed : {1, 2}) results.runs.push_back(run_of("Plus", seed, true));
    results.runs.push_back(run_of("LDA", 1, false));
    return results;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

TEST(OpenWorldPage, has_two_tables_and_three_plots_for_a_data_set) {
    const test::TempFolder folder;
    write_results(some_results(), folder.path());
    const ResultsPage page = results_page(folder.path());
    std::vector<std::string> files;
    for (const auto& [file, svg] : page.plots) {
        files.push_back(file);
        EXPECT_EQ(test::fault_in(svg), "") << file;
    }
    EXPECT_EQ(files, (std::vector<std::string>{"open-world-birds-auroc.svg", "open-world-birds-coverage.svg",
                                               "open-world-birds-reliability.svg"}));
    for (const char* text :
         {"data-column=\"auroc_familiarity\"", "data-column=\"coverage_set_90\"", "familiarity, Plus",
          "largest softmax, LDA", "relative Mahalanobis", "nominal 95 %", "ECE 25.0 %"})
        EXPECT_TRUE(has(page.html, text)) << text;
    EXPECT_FALSE(has(page.html, "familiarity, LDA"));
}

TEST(OpenWorldPage, marks_the_lowest_false_positive_rate_and_no_coverage_as_best) {
    ExperimentResults results = some_results();
    for (SessionRecord& s : results.runs[2].record.sessions)
        s.open_world->of(Detector::softmax).fpr95 = 0.125;
    results.runs[2].record.open_world->of(Detector::softmax).fpr95 = 0.125;
    const std::vector<Line> lines = summarize(results);
    const std::string detectors = detectors_table(results, lines), answers = comparison_table(results, lines);
    EXPECT_TRUE(has(detectors, "data-row=\"LDA\" data-column=\"fpr95_softmax\" class=\"best\""));
    EXPECT_FALSE(has(detectors, "data-row=\"Plus\" data-column=\"fpr95_softmax\" class=\"best\""));
    EXPECT_TRUE(has(answers, "data-row=\"Plus\" data-column=\"calibration_error\" class=\"best\""));
    EXPECT_FALSE(has(answers, "data-column=\"coverage_95\" class=\"best\""));
}

TEST(OpenWorldPage, leaves_out_columns_that_no_learner_fills) {
    ExperimentResults results = some_results();
    results.runs.erase(results.runs.begin(), results.runs.begin() + 2);
    const std::vector<std::string> columns = compared_columns(results, summarize(results));
    EXPECT_EQ(columns, (std::vector<std::string>{"omega_all", "calibration_error"}));
    EXPECT_EQ(plots_of(results, summarize(results)).size(), 2u) << "no coverage";
}

TEST(OpenWorldPage, has_its_columns_in_the_terminal_too) {
    const std::string text = lab::comparison_table(some_results());
    EXPECT_TRUE(has(text, "auroc_familiarity")) << text;
    EXPECT_TRUE(has(text, "calibration_error")) << text;
}

TEST(PooledBins, weigh_confidence_and_accuracy_by_the_shares) {
    const std::vector<ReliabilityBin> pooled =
        pooled_bins({{{0.2, 0, 0.25}, {0.8, 1, 0.75}}, {{0.4, 1, 0.75}, {0, 0, 0}}});
    ASSERT_EQ(pooled.size(), 2u);
    EXPECT_NEAR(pooled[0].confidence, 0.35, kRounding);
    EXPECT_NEAR(pooled[0].accuracy, 0.75, kRounding);
    EXPECT_NEAR(pooled[0].share, 0.5, kRounding);
    EXPECT_NEAR(pooled[1].confidence, 0.8, kRounding);
    EXPECT_NEAR(pooled[1].share, 0.375, kRounding);
}

}  // namespace
}  // namespace fearnet::lab::page
