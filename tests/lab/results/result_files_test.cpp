#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fearnet/lab/results.hpp"
#include "lab/results/column_csv.hpp"
#include "support/data_files.hpp"
#include "support/paper_results.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

using test::expect_error;
using test::kRunsHeader;
using test::kSessionsHeader;

constexpr double kRounding = 1e-12;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const std::filesystem::path kSource = FEARNET_SOURCE_DIR;

std::string slurp(const std::filesystem::path& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

RunRecord some_record() {
    RunRecord r;
    r.dataset = "cub200", r.learner = "fearnet", r.seed = 18446744073709551615u, r.classes = 4,
    r.finished = true;
    r.protocol.base_classes = 2, r.protocol.variant.returning = 0.25;
    r.omega = {0.1, 1.0 / 3, kNone};
    r.omega_oracle = OmegaScores{1, 2, 3};
    r.offline_accuracy = 0.75, r.final_accuracy = 0.5;
    r.memory = {{"networks", 1000}, {"statistics", 200}, {"examples", 30}, {"map", 4}, {"odd", 1}};
    r.seconds = {{"base", 1.5}};
    r.options = {{"a.b", "c"}};
    for (std::size_t i = 0; i < 3; ++i) {
        SessionRecord s;
        s.session = i, s.classes_seen = 2 + i, s.class_name = i == 0 ? "" : "gull, \"ivory\"";
        s.slept = i == 2, s.accuracy = {0.875, i == 0 ? 0 : 0.8, 1.0 / 7}, s.offline = {1, 0, 0.5};
        if (i > 0) s.oracle = SessionAccuracy{0.95, 0.85, 0.9};
        s.memory_bytes = 100 + 10 * i;
        r.sessions.push_back(s);
    }
    return r;
}

ExperimentResults some_results() {
    ExperimentResults results;
    results.name = "soa", results.title = "A title", results.source = "Table 2";
    results.context = {"0.1", "2026-11-16", "a cpu", 1, "fearnet paper"};
    results.planned_seeds = {1, 2};
    results.runs = {
        {"soa", "Fear, \"Net\"", "network.hidden=8,4;sleep.epochs=3", "an-id", "", "", some_record()}};
    RunRecord without = some_record();
    without.seed = 1, without.omega_oracle.reset();
    for (SessionRecord& s : without.sessions) s.oracle.reset();
    results.runs.push_back({"soa", "Fear, \"Net\"", "", "another", "0.2", "2026-11-17", without});
    results.missing = {{"B", "cub200", 2, "failed: no memory", false}};
    results.paper = {{"B", "cub200", {{"omega_all", 0.5}}, "odd"}};
    Claim claim;
    claim.id = "c", claim.text = "B is above.", claim.kind = Claim::Kind::greater;
    claim.row = "B", claim.column = "omega_all", claim.than_row = "Fear, \"Net\"", claim.by = 0.25;
    results.claims = {claim};
    return results;
}

TEST(ResultFiles, read_back_as_they_were_written) {
    const ResultFiles files = result_files(some_results());
    const ExperimentResults back = parse_result_files(files, "soa");
    const ResultFiles again = result_files(back);
    EXPECT_EQ(again.csv, files.csv);
    EXPECT_EQ(again.sessions, files.sessions);
    EXPECT_EQ(again.json, files.json);
    ASSERT_EQ(back.runs.size(), 2u);
    EXPECT_EQ(back.runs[0].row, "Fear, \"Net\"");
    EXPECT_EQ(back.runs[0].record.seed, 18446744073709551615u);
    EXPECT_EQ(back.runs[0].settings, "network.hidden=8,4;sleep.epochs=3");
    EXPECT_NEAR(*number_of(back.runs[0].record, "omega_new"), 1.0 / 3, 1e-6);
    EXPECT_FALSE(number_of(back.runs[0].record, "omega_all"));
    EXPECT_TRUE(back.runs[0].record.omega_oracle);
    EXPECT_FALSE(back.runs[1].record.omega_oracle);
    EXPECT_EQ(number_of(back.runs[0].record, "memory_other"), 5);
    EXPECT_EQ(number_of(back.runs[0].record, "memory_bytes"), 1235);
    EXPECT_EQ(back.runs[1].version, "0.2");
    const SessionRecord& last = back.runs[0].record.sessions[2];
    EXPECT_TRUE(last.slept);
    EXPECT_EQ(last.class_name, "gull, \"ivory\"");
    EXPECT_EQ(last.oracle->all, 0.9);
    EXPECT_EQ(back.runs[0].record.sessions[0].accuracy.recent, 0) << "the base session has no newest class";
    EXPECT_FALSE(back.runs[0].record.sessions[0].oracle);
    EXPECT_EQ(back.claims.at(0).by, 0.25);
}

// The numbers in the repository: every byte of the CSV files, every value of the JSON files.
TEST(ResultFiles, of_the_repository_are_rewritten_as_they_are) {
    const std::filesystem::path folder = kSource / "experiments/results";
    const std::vector<std::string> names = result_names(folder);
    ASSERT_GE(names.size(), 21u);
    for (const std::string& name : names) {
        const ResultFiles files = result_files(read_results(folder, name));
        EXPECT_TRUE(files.csv == slurp(folder / (name + ".csv"))) << name;
        EXPECT_TRUE(files.sessions == slurp(folder / (name + "_sessions.csv"))) << name;
        auto before = nlohmann::json::parse(slurp(folder / (name + ".json")));
        auto after = nlohmann::json::parse(files.json);
        ASSERT_EQ(before["runs"].size(), after["runs"].size()) << name;
        for (std::size_t i = 0; i < before["runs"].size(); ++i) {  // the one number that is computed again
            const double bytes = before["runs"][i]["memory_bytes_1000"];
            EXPECT_NEAR(after["runs"][i]["memory_bytes_1000"], bytes, kRounding * std::abs(bytes))
                << name << ", run " << i;
            after["runs"][i]["memory_bytes_1000"] = bytes;
        }
        EXPECT_EQ(nlohmann::json::diff(before, after).dump().substr(0, 500), "[]") << name;
    }
}

TEST(ResultFiles, begin_with_the_columns_of_the_docs) {
    const ResultFiles none = result_files({});
    EXPECT_EQ(none.csv, kRunsHeader);
    EXPECT_EQ(none.sessions, kSessionsHeader);
    const std::string page = slurp(kSource / "docs/formats/experiment_csv.md");
    const std::string other = slurp(kSource / "docs/formats/sessions_csv.md");
    const auto expect_listed = [](const auto& columns, const std::string& docs) {
        for (const auto& c : columns) {
            if (c.optional) continue;
            const std::string line = fmt::format("| `{}` | {} |\n", c.name, c.meaning);
            EXPECT_NE(docs.find(line), std::string::npos) << "the docs lack this line:\n" << line;
        }
    };
    expect_listed(run_columns(), page);
    expect_listed(result_session_columns(), page);
    expect_listed(run_session_columns(), other);
    for (const auto& c : run_columns()) {
        if (!c.optional) continue;
        const std::string line = fmt::format("| `{}` | {} |\n", c.name, c.meaning);
        EXPECT_NE(page.find(line), std::string::npos) << "the docs lack this line:\n" << line;
    }
}

// A run that has measured open-world answers, as far as they are in the files.
RunRecord open_world_record() {
    RunRecord r = some_record();
    for (SessionRecord& s : r.sessions) {
        s.open_world.emplace();
        s.open_world->of(Detector::softmax) = {0.75, 0.5, 1, 1, kNone};
        s.open_world->coverage.familiar_95 = 0.9375;
        s.open_world->calibration_error = 0.125;
        s.open_world->reliability = {{0.5, 0.25, 0.5}, {0, 0, 0}, {1, 1, 0.5}};
    }
    std::vector<OpenWorldRecord> sessions;
    for (const SessionRecord& s : r.sessions) sessions.push_back(*s.open_world);
    r.open_world = summarize_open_world(sessions);
    return r;
}

TEST(ResultFiles, have_open_world_columns_only_if_a_run_has_measured_them) {
    ExperimentResults results = some_results();
    const ResultFiles plain = result_files(results);
    EXPECT_EQ(plain.csv.find("auroc"), std::string::npos);
    EXPECT_EQ(plain.sessions.find("auroc"), std::string::npos);
    results.runs[0].record = open_world_record();
    const ResultFiles files = result_files(results);
    const std::string header = files.csv.substr(0, files.csv.find('\n'));
    const std::string runs_header = plain.csv.substr(0, plain.csv.find('\n'));
    EXPECT_TRUE(header.starts_with(runs_header + ",coverage_95,")) << header;
    const ExperimentResults back = parse_result_files(files, "soa");
    const ResultFiles again = result_files(back);
    EXPECT_EQ(again.csv, files.csv);
    EXPECT_EQ(again.sessions, files.sessions);
    EXPECT_EQ(again.json, files.json);
    EXPECT_EQ(number_of(back.runs[0].record, "auroc_softmax"), 0.75);
    EXPECT_EQ(number_of(back.runs[0].record, "deviation_95"), 0.0125);
    EXPECT_EQ(number_of(back.runs[0].record, "auroc_far_data_softmax"), std::nullopt);
    EXPECT_EQ(back.runs[0].record.sessions[1].open_world->calibration_error, 0.125);
    EXPECT_EQ(back.runs[0].record.open_world->reliability, results.runs[0].record.open_world->reliability);
    EXPECT_FALSE(back.runs[1].record.open_world);
}

TEST(ResultFiles, of_a_version_with_fewer_open_world_columns_are_read) {
    const std::string runs_header(kRunsHeader, std::string(kRunsHeader).size() - 1);
    const std::string header = runs_header + ",coverage_95,coverage_99\n";
    std::size_t lines = 0;
    for_each_csv_line(run_columns(), header, "x", [&](ResultRun&, const auto&) { ++lines; });
    EXPECT_EQ(lines, 0u);
    const std::string wrong = runs_header + ",coverage_99\n";
    expect_error([&] { for_each_csv_line(run_columns(), wrong, "x", [](ResultRun&, const auto&) {}); },
                 {"should be 'coverage_95' but is 'coverage_99'"});
}

// JSON and sessions without a run, so that only the CSV file of the runs is looked at.
std::string complaint(const std::string& csv, const std::string& sessions = kSessionsHeader,
                      const std::string& json = R"({"name": "soa", "title": "", "source": "", "context":
                          {"version": "", "date": "", "cpu": "", "command": ""}})") {
    try {
        parse_result_files({csv, sessions, json}, "soa");
    } catch (const Error& error) {
        return error.what();
    }
    return "no complaint";
}

std::string run_line(const std::string& row, int seed, const std::string& memory = "100",
                     const std::string& other = "100") {
    return fmt::format("soa,{},birds,fearnet,,,{},12,6,2,1,0.9,0.9,0.9,1,1,1,,,,0.7,0.6,{},0,0,0,{}\n", row,
                       seed, memory, other);
}

TEST(ResultFiles, damage_is_named_with_file_and_line) {
    const std::string good = kRunsHeader + run_line("A", 1);
    EXPECT_EQ(complaint(kRunsHeader), "no complaint");
    EXPECT_EQ(complaint(good),
              "soa_sessions.csv: no session of row 'A', data set 'birds', seed 1, which soa.csv has");
    EXPECT_EQ(complaint(""), "soa.csv: the file is empty; expected a header line");
    EXPECT_EQ(complaint("a,b\n1,2\n"),
              "soa.csv, line 1: column 1 should be 'experiment' but is 'a'; is this a result file of "
              "'fearnet paper'?");
    EXPECT_EQ(complaint(good + "soa,B,birds\n"), "soa.csv, line 3: expected 27 columns, found 3");
    EXPECT_EQ(complaint(good + run_line("B", 1, "many")),
              "soa.csv, line 3: column 23 ('memory_bytes'): expected a number from 0 on, found 'many'");
    for (const char* bad : {"nan", "inf", "-1", "", "1e999", "0x10", "1 2", "1.5"})
        EXPECT_NE(complaint(good + run_line("B", 1, bad)).find("line 3: column 23 ('memory_bytes')"),
                  std::string::npos)
            << bad;
    EXPECT_NE(complaint(good + run_line("B", 1, "100", "99")).find("not the sum of its kinds"),
              std::string::npos);
    EXPECT_EQ(complaint(good.substr(0, good.size() - 1)),
              "soa.csv, line 2: the file ends in the middle of a line; is it truncated?");
    EXPECT_EQ(complaint(good + run_line("A", 1)),
              "soa.csv, line 3: a second line for row 'A', data set 'birds', seed 1");
    std::string line = run_line("A", 1);
    line.replace(line.find(",1,"), 3, ",18446744073709551616,");
    EXPECT_NE(complaint(kRunsHeader + line).find("line 2: column 7 ('seed')"), std::string::npos);
    const auto json = [](const char* text) { return complaint(kRunsHeader, kSessionsHeader, text); };
    EXPECT_EQ(json("{\n\"name\": \"soa\",\n"), "soa.json, line 3: not JSON; was the file cut off?");
    EXPECT_NE(json("[1]").find("object"), std::string::npos);
    EXPECT_NE(json(R"({"name": "a"})").find("'title' is missing"), std::string::npos);
}

TEST(ResultFiles, any_cut_of_a_csv_file_is_refused_or_whole_lines) {
    const std::string text = kRunsHeader + run_line("A", 1) + run_line("A", 2);
    for (std::size_t size = 0; size < text.size(); ++size) {
        const std::string cut = text.substr(0, size);
        const auto read = [&] { for_each_csv_line(run_columns(), cut, "x", [](ResultRun&, const auto&) {}); };
        if (cut.ends_with('\n'))
            EXPECT_NO_THROW(read());
        else
            EXPECT_THROW(read(), Error) << size;
    }
}

TEST(NumberOf, knows_every_column_with_a_number) {
    RunRecord run = some_record();
    EXPECT_EQ(number_of(run, "oracle_all"), 3);
    run.omega_oracle.reset();
    EXPECT_EQ(number_of(run, "oracle_all"), std::nullopt);
    expect_error([&] { number_of(run, "omega"); }, {"column 'omega'", "omega_all"});
    expect_error([&] { number_of(run, "dataset"); }, {"column 'dataset'"});
}

TEST(RunRecordJson, reads_back_every_number_bit_for_bit) {
    const RunRecord record = some_record();
    const std::string text = run_record_json(record);
    const RunRecord back = parse_run_record(text, "r.json");
    EXPECT_EQ(run_record_json(back), text);
    EXPECT_EQ(back.protocol, record.protocol);
    EXPECT_EQ(back.classes, record.classes);
    EXPECT_EQ(back.omega.omega_new, 1.0 / 3);
    EXPECT_TRUE(std::isnan(back.omega.omega_all));
    EXPECT_EQ(back.sessions[1].accuracy.all, 1.0 / 7);
    EXPECT_EQ(back.memory, record.memory);
    expect_error([] { parse_run_record("{}", "r.json"); }, {"r.json"});
    expect_error([] { parse_run_record("{", "r.json"); }, {"r.json"});
}

TEST(ExtrapolatedMemory, goes_on_as_it_grew_per_class_until_the_last_sleep) {
    std::vector<SessionRecord> sessions = some_record().sessions;
    EXPECT_EQ(extrapolated_memory(sessions, 1000), 120 + 10 * 996);
    sessions.push_back(sessions.back());
    sessions.back().slept = false, sessions.back().classes_seen = 5, sessions.back().memory_bytes = 5000;
    EXPECT_EQ(extrapolated_memory(sessions, 1000), 120 + 10 * 996) << "recent examples do not count";
    sessions.resize(1);
    EXPECT_EQ(extrapolated_memory(sessions, 1000), std::nullopt);
}

}  // namespace
}  // namespace fearnet
