#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fearnet/lab/experiment_files.hpp"
#include "lab/report/page/results.hpp"
#include "support/data_files.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

ResultRow some_row() {
    ResultRow r;
    r.experiment = "soa", r.row = "Fear, \"Net\"", r.dataset = "cub200", r.learner = "fearnet";
    r.settings = "network.hidden=8,4;sleep.epochs=3";
    r.seed = 18446744073709551615u, r.classes = 200, r.base_classes = 100, r.sleep_every = 10;
    r.omega = {0.5, 0.25, 1.0 / 3};
    r.restricted = {kNone, 0.25, kNone};
    r.oracle = OmegaScores{0.75, 0.5, 0.625};
    r.offline_accuracy = 0.6, r.final_accuracy = 0.5;
    r.memory =
        memory_columns({{"networks", 1000}, {"statistics", 200}, {"examples", 30}, {"map", 4}, {"odd", 1}});
    return r;
}

RunRecord some_record() {
    RunRecord r;
    r.dataset = "cub200", r.learner = "fearnet", r.seed = 3, r.base_classes = 2, r.finished = true;
    r.omega = {0.1, 1.0 / 3, kNone};
    r.omega_oracle = OmegaScores{1, 2, 3};
    r.memory = {{"networks", 12}};
    r.seconds = {{"base", 1.5}};
    r.options = {{"a.b", "c"}};
    for (std::size_t i = 0; i < 3; ++i) {
        SessionRecord s;
        s.session = i, s.classes_seen = 2 + i, s.class_name = i == 0 ? "" : "gull, \"ivory\"";
        s.slept = i == 2, s.accuracy = {0.9, 0.8, 1.0 / 7}, s.offline = {1, 0, 0.5};
        if (i > 0) s.oracle = SessionAccuracy{0.95, 0.85, 0.9};
        s.memory_bytes = 100 + 10 * i;
        r.sessions.push_back(s);
    }
    return r;
}

TEST(ResultsCsv, is_read_by_the_report_as_it_was_written) {
    ResultRow without = some_row();
    without.oracle.reset(), without.seed = 1;
    const auto runs = page::parse_runs(results_csv({some_row(), without}), "soa.csv");
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0].row, "Fear, \"Net\"");
    EXPECT_EQ(runs[0].settings, "network.hidden=8,4;sleep.epochs=3");
    EXPECT_EQ(runs[0].seed, 18446744073709551615u);
    EXPECT_NEAR(*page::number(runs[0].numbers, "omega_all"), 1.0 / 3, 1e-6);
    EXPECT_FALSE(page::number(runs[0].numbers, "omega_all_restricted"));
    EXPECT_TRUE(page::number(runs[0].numbers, "oracle_all"));
    EXPECT_FALSE(page::number(runs[1].numbers, "oracle_all"));
    EXPECT_EQ(page::number(runs[0].numbers, "memory_other"), 5);
    EXPECT_EQ(page::number(runs[0].numbers, "memory_bytes"), 1235);
}

TEST(ResultRow, gives_its_numbers_by_the_name_of_the_column) {
    ResultRow row = some_row();
    EXPECT_EQ(column_of(row, "memory_bytes"), 1235);
    EXPECT_EQ(column_of(row, "oracle_all"), 0.625);
    row.oracle.reset();
    EXPECT_EQ(column_of(row, "oracle_all"), std::nullopt);
    EXPECT_THROW(column_of(row, "omega"), Error);
}

TEST(ResultsCsv, begins_with_the_columns_in_the_documented_order) {
    EXPECT_EQ(results_csv({}),
              "experiment,row,dataset,learner,preset,settings,seed,classes,base_classes,sleep_every,"
              "evaluate_every,omega_base,omega_new,omega_all,omega_base_restricted,omega_new_restricted,"
              "omega_all_restricted,oracle_base,oracle_new,oracle_all,offline_accuracy,final_accuracy,"
              "memory_bytes,memory_networks,memory_statistics,memory_examples,memory_other\n");
}

TEST(ResultsCsv, refuses_a_seed_that_is_none) {
    std::string text = results_csv({some_row()});
    text.replace(text.find("18446744073709551615"), 20, "18446744073709551616");
    test::expect_error([&] { page::parse_runs(text, "a.csv"); }, {"a.csv", "seed", "18446744073709551616"});
}

TEST(ResultSessionsCsv, is_read_by_the_report_as_it_was_written) {
    std::vector<ResultSession> sessions;
    for (const SessionRecord& s : some_record().sessions) sessions.push_back({"soa", "A", "cub200", 3, s});
    const auto back = page::parse_sessions(result_sessions_csv(sessions), "s.csv");
    ASSERT_EQ(back.size(), 3u);
    EXPECT_EQ(back[1].seed, 3u);
    EXPECT_EQ(back[1].session, 1u);
    EXPECT_FALSE(page::number(back[0].numbers, "oracle_all"));
    EXPECT_FALSE(page::number(back[0].numbers, "new")) << "the base session has no newest class";
    EXPECT_EQ(page::number(back[1].numbers, "oracle_all"), 0.9);
    EXPECT_TRUE(back[2].slept);
    EXPECT_EQ(page::number(back[2].numbers, "memory_bytes"), 120);
}

TEST(RunRecordJson, reads_back_every_number_bit_for_bit) {
    const RunRecord record = some_record();
    const std::string text = run_record_json(record);
    const RunRecord back = parse_run_record(text, "r.json");
    EXPECT_EQ(run_record_json(back), text);
    EXPECT_EQ(back.omega.omega_new, 1.0 / 3);
    EXPECT_TRUE(std::isnan(back.omega.omega_all));
    EXPECT_EQ(back.sessions[1].accuracy.all, 1.0 / 7);
    EXPECT_EQ(back.memory, record.memory);
    test::expect_error([] { parse_run_record("{}", "r.json"); }, {"r.json"});
    test::expect_error([] { parse_run_record("{", "r.json"); }, {"r.json"});
}

TEST(ExtrapolatedMemory, goes_on_as_it_grew_per_class) {
    EXPECT_EQ(extrapolated_memory(some_record().sessions, 1000), 120 + 10 * 996);
    EXPECT_EQ(extrapolated_memory(some_record().sessions, 4), 120);
}

}  // namespace
}  // namespace fearnet
