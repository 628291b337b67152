#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <sstream>

#include "fearnet/error.hpp"
#include "fearnet/lab/results_page.hpp"
#include "lab/report/number_text.hpp"
#include "lab/report/page/charts.hpp"
#include "lab/report/page/claims.hpp"
#include "lab/report/page/origin.hpp"
#include "lab/report/page/plots.hpp"
#include "lab/report/page/tables.hpp"
#include "support/paper_results.hpp"
#include "support/xml.hpp"

namespace fearnet::lab::page {

using namespace fearnet::lab;
namespace {

using test::fault_in;
using test::kRunsHeader;
using test::kSessionsHeader;
using test::MadeUpExperiment;

constexpr double kRounding = 1e-9;

ExperimentResults experiment_of(const MadeUpExperiment& made_up) {
    return parse_result_files(
        {kRunsHeader + made_up.runs, kSessionsHeader + made_up.sessions, made_up.context.dump()}, "x");
}

template <class Call>
std::string complaint(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "no complaint";
}

ResultRun run_of(const std::string& row, std::uint64_t seed, double score) {
    ResultRun run{"soa", row, "", "", "", "", {}};
    run.record.dataset = "birds", run.record.learner = "fearnet", run.record.seed = seed;
    run.record.omega = {score, score, score};
    return run;
}

Claim claim_of(Claim::Kind kind, const std::string& column, const std::string& row,
               const std::string& than_row = "", const std::string& than_column = "") {
    Claim claim;
    claim.kind = kind, claim.column = column, claim.row = row;
    claim.than_row = than_row, claim.than_column = than_column;
    return claim;
}

Line line(const std::string& row, const std::string& column, double mean, bool in_paper = true) {
    Line l{"birds", row, "fearnet", {1}, {}, {}, ""};
    l.ours[column] = {1, mean, {}, mean, mean};
    if (in_paper) l.paper[column] = 0.5;
    return l;
}

TEST(OptionsList, names_the_data_sets_on_which_a_row_has_the_same_options) {
    ExperimentResults e;
    for (const auto& [dataset, preset, option] : {std::array{"birds", "birds", "1"},
                                                  {"birds", "birds", "1"},
                                                  {"bees", "bees", "1"},
                                                  {"bee", "bees", "1"},
                                                  {"cats", "", "2"}}) {
        e.runs.push_back(run_of("A", e.runs.size(), 0.5));
        e.runs.back().record.dataset = dataset, e.runs.back().record.preset = preset;
        e.runs.back().record.options = {{"x", option}};
        e.runs.back().record.seconds = {{"base", 1.5}, {"offline", 2}};
    }
    e.context = {"0.1", "today", "AMD", 1, ""};
    const std::string html = options_list(e);
    EXPECT_NE(html.find("fearnet; birds, bees, bee; preset birds, bees<"), std::string::npos) << html;
    EXPECT_NE(html.find("fearnet; cats<"), std::string::npos) << html;
    EXPECT_NE(provenance(e).find("AMD; fearnet 0.1; today; 18 s of computing"), std::string::npos)
        << provenance(e);
    for (ResultRun& run : e.runs) run.version = "0.2", run.date = "2026-11-17T00:00:00Z";
    e.runs[0].version = "0.3", e.runs[0].date = "2026-11-18T00:00:00Z";
    EXPECT_NE(provenance(e).find("AMD; fearnet 0.2, 0.3; 2026-11-17 to 2026-11-18;"), std::string::npos);
}

TEST(Summary, has_mean_deviation_range_and_count_over_the_seeds) {
    ExperimentResults e;
    e.runs = {run_of("A", 1, 0.7), run_of("A", 2, 0.8), run_of("A", 3, 0.9), run_of("B", 1, 0.5)};
    e.paper = {{"A", "birds", {{"omega_all", 0.75}}, "a note"}, {"C", "birds", {{"omega_all", 0.6}}, ""}};
    const std::vector<Line> lines = summarize(e);
    ASSERT_EQ(lines.size(), 3u);
    const Spread* spread = lines[0].find("omega_all");
    ASSERT_TRUE(spread);
    EXPECT_EQ(spread->n, 3u);
    EXPECT_NEAR(spread->mean, 0.8, kRounding);
    EXPECT_NEAR(*spread->deviation, 0.1, kRounding);
    EXPECT_EQ(spread->low, 0.7);
    EXPECT_EQ(spread->high, 0.9);
    EXPECT_EQ(*number(lines[0].paper, "omega_all"), 0.75);
    EXPECT_EQ(lines[0].note, "a note");
    EXPECT_FALSE(lines[1].find("omega_all")->deviation);
    EXPECT_EQ(lines[2].row, "C");  // only the paper has it
    EXPECT_FALSE(lines[2].find("omega_all"));
    EXPECT_FALSE(lines[0].find("oracle_all"));
    EXPECT_EQ(best_line(lines, "birds", "omega_all"), &lines[0]);
    EXPECT_EQ(best_line(lines, "nowhere", "omega_all"), nullptr);
    EXPECT_EQ(seeds_text(lines), "1 to 3 seeds");
}

TEST(Summary, carries_memory_on_to_a_thousand_classes) {
    // The made-up learners keep 10,000 bytes and 1,000 per class; recent examples of FearNet do not count.
    const ExperimentResults e =
        experiment_of({"memory", {"birds"}, {{"A", "fearnet"}, {"B", "nearest-neighbor"}}, {1}});
    for (const Line& l : summarize(e)) EXPECT_NEAR(*l.mean(kMemoryAt1000), 1'010'000, 1e-6) << l.row;
}

TEST(Claims, about_the_best_row_count_the_rows_of_the_paper) {
    const Claim claim = claim_of(Claim::Kind::best, "omega_all", "A");
    const auto verdict = [&](const std::vector<Line>& lines) { return check_claim(claim, lines).verdict; };
    const Line a = line("A", "omega_all", 0.9), b = line("B", "omega_all", 0.8);
    EXPECT_EQ(verdict({a, b}), Verdict::holds);
    EXPECT_EQ(verdict({a, line("B", "omega_all", 0.95)}), Verdict::does_not_hold);
    EXPECT_EQ(verdict({a, b, line("ours", "omega_all", 0.99, false)}), Verdict::holds);
    EXPECT_NE(
        check_claim(claim, {a, b, line("ours", "omega_all", 0.99, false)}).evidence.at(0).find("ours 0.990"),
        std::string::npos);
    EXPECT_EQ(verdict({a}), Verdict::not_measured);
    EXPECT_EQ(verdict({b}), Verdict::not_measured);
    EXPECT_EQ(verdict({}), Verdict::not_measured);
    Line not_run = line("C", "omega_all", 0);
    not_run.ours.clear();
    EXPECT_EQ(verdict({a, b, not_run}), Verdict::not_measured);  // C might have been better
    const Claim smallest = claim_of(Claim::Kind::best, "memory_bytes", "A");
    EXPECT_EQ(check_claim(smallest, {line("A", "memory_bytes", 10), line("B", "memory_bytes", 20)}).verdict,
              Verdict::holds);
}

TEST(Claims, compare_rows_and_columns_on_every_data_set) {
    const Claim rows = claim_of(Claim::Kind::greater, "omega_all", "A", "B");
    std::vector<Line> lines{line("A", "omega_all", 0.9), line("B", "omega_all", 0.8)};
    EXPECT_EQ(check_claim(rows, lines).verdict, Verdict::holds);
    for (Line l : {line("A", "omega_all", 0.7), line("B", "omega_all", 0.8)}) {
        l.dataset = "bees";
        lines.push_back(l);
    }
    EXPECT_EQ(check_claim(rows, lines).verdict, Verdict::does_not_hold);
    Claim limited = rows;
    limited.datasets = {"birds"};
    EXPECT_EQ(check_claim(limited, lines).verdict, Verdict::holds);
    limited.datasets = {"elsewhere"};
    EXPECT_EQ(check_claim(limited, lines).verdict, Verdict::not_measured);
    const Claim columns = claim_of(Claim::Kind::greater, "oracle_all", "A", "", "omega_all");
    Line both = line("A", "omega_all", 0.9);
    both.ours["oracle_all"] = {1, 0.95, {}, 0.95, 0.95};
    EXPECT_EQ(check_claim(columns, {both}).verdict, Verdict::holds);
}

TEST(Claims, may_ask_for_a_margin_or_for_a_least_value) {
    const std::vector<Line> lines{line("A", "omega_all", 0.9), line("B", "omega_all", 0.8)};
    const auto verdict = [&](Claim claim, double by) {
        claim.by = by;
        return check_claim(claim, lines).verdict;
    };
    const Claim greater = claim_of(Claim::Kind::greater, "omega_all", "A", "B");
    EXPECT_EQ(verdict(greater, 0.12), Verdict::holds);
    EXPECT_EQ(verdict(greater, 0.13), Verdict::does_not_hold);
    const Claim least = claim_of(Claim::Kind::least, "omega_all", "A");
    EXPECT_EQ(verdict(least, 0.89), Verdict::holds);
    EXPECT_EQ(verdict(least, 0.91), Verdict::does_not_hold);
    const Claim nobody = claim_of(Claim::Kind::least, "omega_all", "C");
    EXPECT_EQ(verdict(nobody, 0), Verdict::not_measured);
}

TEST(Claims, follow_trends) {
    const auto verdict = [](const char* direction, const std::vector<double>& values) {
        std::vector<Line> lines;
        for (std::size_t i = 0; i < values.size(); ++i) {
            lines.push_back(line(std::to_string(i), "omega_base", values[i]));
            const double x = static_cast<double>(i + 1);
            lines.back().ours["sleep_every"] = {1, x, {}, x, x};
        }
        Claim claim = claim_of(Claim::Kind::trend, "omega_base", "");
        claim.over = "sleep_every", claim.direction = direction;
        return check_claim(claim, lines).verdict;
    };
    EXPECT_EQ(verdict("up", {0.6, 0.7, 0.65, 0.8}), Verdict::holds);
    EXPECT_EQ(verdict("down", {0.6, 0.7, 0.65, 0.8}), Verdict::does_not_hold);
    EXPECT_EQ(verdict("down", {0.9, 0.8, 0.7}), Verdict::holds);
    EXPECT_EQ(verdict("up", {0.6, 0.9, 0.8, 0.7, 0.61}), Verdict::does_not_hold);
    EXPECT_EQ(verdict("flat", {0.60, 0.65, 0.62}), Verdict::holds);
    EXPECT_EQ(verdict("flat", {0.60, 0.80, 0.62}), Verdict::does_not_hold);
    EXPECT_EQ(verdict("up", {0.6, 0.7}), Verdict::not_measured);
}

TEST(Claims, use_spearmans_rank_correlation) {
    EXPECT_NEAR(rank_correlation({1, 2, 3, 4}, {1, 3, 2, 4}), 0.8, kRounding);
    EXPECT_NEAR(rank_correlation({1, 2, 3}, {9, 5, 1}), -1, kRounding);
    EXPECT_NEAR(rank_correlation({1, 2, 3, 4}, {1, 1, 2, 2}), 0.894427191, 1e-8);
    EXPECT_EQ(rank_correlation({1, 2, 3}, {5, 5, 5}), 0);
}

TEST(NumberText, prints_each_column_as_it_is_read) {
    EXPECT_EQ(number_text(0.97949, "omega_all"), "0.979");
    EXPECT_EQ(number_text(0.6812, "final_accuracy"), "68.1 %");
    EXPECT_EQ(number_text(10.7e6, "memory_bytes"), "10.7 MB");
    EXPECT_EQ(number_text(999'600, "memory_bytes"), "1.0 MB");
    EXPECT_EQ(number_text(40.9e9, "memory_bytes"), "40.9 GB");
    EXPECT_EQ(number_text(512, "memory_other"), "512 B");
    EXPECT_EQ(number_text(100, "base_classes"), "100");
    EXPECT_EQ(difference_text(0.979, 0.947, "omega_all"), "+0.032");
    EXPECT_EQ(difference_text(0.9, 0.947, "omega_all"), "\u22120.047");
    EXPECT_EQ(difference_text(0.9471, 0.947, "omega_all"), "0.000");
    EXPECT_EQ(difference_text(4.1e8, 4.1e9, "memory_bytes"), "\u00d7 0.1");
    EXPECT_EQ(dataset_title("cifar100+audioset"), "CIFAR-100 + AudioSet");
}

TEST(Plots, are_well_formed_and_have_a_point_per_session) {
    const std::string odd = "</svg> & \"odd\"";
    const ExperimentResults e = experiment_of(
        {"soa", {"birds"}, {{"FearNet", "fearnet"}, {odd, "nearest-neighbor", 0.7, 6, 2, 3}}, {1, 2}});
    const std::vector<Line> lines = summarize(e);
    EXPECT_EQ(session_series(e, lines[0], "all").session.size(), 7u);
    EXPECT_EQ(session_series(e, lines[0], "new").session.size(), 6u);  // none in the base session
    EXPECT_EQ(session_series(e, lines[1], "all").session, (std::vector<std::size_t>{0, 3, 6}));
    const std::vector<Plot> plots = plots_of(e, lines);
    ASSERT_EQ(plots.size(), 1u);
    EXPECT_EQ(plots[0].file, "soa-birds.svg");
    for (const std::string& svg : {plots[0].wide, plots[0].narrow, standalone_svg(plots[0].wide)}) {
        EXPECT_EQ(fault_in(svg), "");
        EXPECT_EQ(svg.find("nan"), std::string::npos);
        EXPECT_NE(svg.find("<title"), std::string::npos);
        EXPECT_NE(svg.find("<desc"), std::string::npos);
    }
}

TEST(Plots, know_what_an_experiment_sweeps) {
    const auto lines_of = [](const MadeUpExperiment& m) { return summarize(experiment_of(m)); };
    EXPECT_EQ(swept_column(lines_of(
                  {"x",
                   {"birds"},
                   {{"A", "fearnet", 0.8, 6, 1}, {"B", "fearnet", 0.8, 6, 2}, {"C", "fearnet", 0.8, 6, 3}}})),
              "sleep_every");
    EXPECT_EQ(swept_column(
                  lines_of({"x",
                            {"birds"},
                            {{"A", "fearnet", 0.8, 2}, {"B", "fearnet", 0.8, 3}, {"C", "fearnet", 0.8, 4}}})),
              "base_classes");
    EXPECT_EQ(swept_column(lines_of({"x", {"birds"}, {{"A", "fearnet"}, {"B", "icarl"}, {"C", "icarl"}}})),
              "");
}

TEST(Plots, survive_one_point_equal_values_and_nothing) {
    LineChart chart;
    chart.id = "x";
    EXPECT_EQ(line_chart_svg(chart, ChartWidth::wide), "");
    chart.lines = {{"A", 0, 0, false, false, {{3}, {0.5}, {0.5}, {0.5}}}};
    for (const ChartWidth width : {ChartWidth::wide, ChartWidth::narrow})
        EXPECT_EQ(fault_in(line_chart_svg(chart, width)), "");
    DotChart dots{"x", "", "", {{"panel", "memory_bytes", true, {{"A", 0.0, {}, {}, {}}}}}};
    EXPECT_EQ(dot_chart_svg(dots, ChartWidth::wide), "");  // zero bytes have no place on a logarithmic scale
    dots.panels[0].rows.push_back({"B", 1000.0, {}, {}, 2000.0});
    const std::string svg = dot_chart_svg(dots, ChartWidth::narrow);
    EXPECT_EQ(fault_in(svg), "");
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
}

class PageOfFolder : public ::testing::Test {
  protected:
    PageOfFolder()
        : folder_(std::filesystem::temp_directory_path() / fmt::format("fearnet_page_{}", ::getpid())) {
        std::filesystem::remove_all(folder_);
    }
    ~PageOfFolder() override { std::filesystem::remove_all(folder_); }
    std::filesystem::path folder_;
};

TEST_F(PageOfFolder, has_a_section_per_experiment_and_escapes_what_files_say) {
    test::write_made_up_results(folder_);
    const ResultsPage page = results_page(folder_);
    EXPECT_EQ(page.experiments, 10u);
    EXPECT_EQ(page.missing, 3u);
    for (const char* id : {"soa", "oracle", "sleep-frequency", "multimodal", "base-size", "memory",
                           "covariance", "exemplars", "routers", "of-my-own"})
        EXPECT_NE(page.html.find(fmt::format("<section id=\"{}\">", id)), std::string::npos) << id;
    for (const char* raw : {"<b>&", "<EPYC>", "not <run>", "birds & bees"})
        EXPECT_EQ(page.html.find(raw), std::string::npos) << raw;
    for (const char* outside : {"http://", "https://", "src=", "@import", "url("}) {
        std::size_t at = 0, found = 0;
        while ((at = page.html.find(outside, at)) != std::string::npos) {
            if (page.html.compare(at, 26, "http://www.w3.org/2000/svg") != 0) ++found;
            ++at;
        }
        EXPECT_EQ(found, 0u) << outside << ": the page must not need anything from elsewhere";
    }
    EXPECT_EQ(page.plots.size(), 3u + 1 + 1 + 2 + 1 + 1 + 1 + 3 + 1 + 1);
    for (const auto& [name, svg] : page.plots) EXPECT_EQ(fault_in(svg), "") << name;
}

TEST_F(PageOfFolder, says_which_rows_were_tested_more_rarely) {
    MadeUpExperiment one("covariance", {"cifar100"}, {{"Full", "fearnet"}, {"Diagonal", "fearnet", 0.7}});
    one.write(folder_);
    EXPECT_EQ(results_page(folder_).html.find("Tested more rarely"), std::string::npos);
    std::string changed;
    std::stringstream lines(one.runs);
    for (std::string text; std::getline(lines, text);) {
        std::size_t at = 0;  // of the 11th field, evaluate_every
        for (int field = 0; field < 10; ++field) at = text.find(',', at) + 1;
        if (text.find("Diagonal") != std::string::npos) text.replace(at, text.find(',', at) - at, "5");
        changed += text + "\n";
    }
    one.runs = changed;
    one.write(folder_);
    EXPECT_NE(results_page(folder_).html.find("Diagonal, every 5 sessions (CIFAR-100)"), std::string::npos);
}

TEST_F(PageOfFolder, counts_planned_seeds_without_a_run_as_missing) {
    MadeUpExperiment one("covariance", {"cifar100"}, {{"Full", "fearnet"}, {"Diagonal", "fearnet", 0.7}},
                         {1});
    one.write(folder_);
    EXPECT_EQ(results_page(folder_).missing, 0u);
    one.context["planned_seeds"] = {1, 2, 3};
    one.write(folder_);
    const ResultsPage page = results_page(folder_);
    EXPECT_EQ(page.missing, 4u) << "two rows, two seeds each";
    EXPECT_NE(page.html.find("not run"), std::string::npos);
    EXPECT_NE(page.html.find("(seeds 2, 3)"), std::string::npos);
}

TEST_F(PageOfFolder, has_the_experiments_in_the_order_it_is_told_then_by_name) {
    for (const char* name : {"a", "b", "c", "d"})
        MadeUpExperiment(name, {"birds"}, {{"A", "fearnet"}}).write(folder_);
    const std::string html = results_page(folder_, {"c", "nowhere", "b"}).html;
    std::size_t at = 0;
    for (const char* id : {"c", "b", "a", "d"}) {
        const std::size_t next = html.find(fmt::format("<section id=\"{}\">", id));
        ASSERT_NE(next, std::string::npos);
        EXPECT_GT(next, at) << id;
        at = next;
    }
}

TEST_F(PageOfFolder, is_made_from_some_experiments_too_and_refuses_halves) {
    MadeUpExperiment one("covariance", {"cifar100"}, {{"Full", "fearnet"}, {"Diagonal", "fearnet", 0.7}});
    one.write(folder_);
    EXPECT_EQ(results_page(folder_).experiments, 1u);
    const auto told = [&] { return complaint([&] { results_page(folder_); }); };
    for (const char* file : {"covariance.csv", "covariance_sessions.csv", "covariance.json"}) {
        std::filesystem::remove(folder_ / file);
        EXPECT_NE(told().find(std::string(file) + ": missing"), std::string::npos) << told();
        one.write(folder_);
    }
    one.sessions = one.sessions.substr(0, one.sessions.find("Diagonal") - std::string("covariance,").size());
    one.write(folder_);
    EXPECT_NE(told().find("covariance_sessions.csv: no session of row 'Diagonal'"), std::string::npos)
        << told();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    EXPECT_NE(told().find("no results in this folder"), std::string::npos);
}

}  // namespace
}  // namespace fearnet::lab::page
