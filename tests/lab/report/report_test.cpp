#include "fearnet/lab/report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "fearnet/error.hpp"
#include "lab/report/report_runs.hpp"
#include "support/pictures.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

namespace fs = std::filesystem;

// A reader of RFC 4180 that shares nothing with the writer.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> row(1);
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
            row.back() += '"', ++i;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == ',')
            row.emplace_back();
        else if (!quoted && c == '\n')
            rows.push_back(row), row.assign(1, "");
        else
            row.back() += c;
    }
    return rows;
}

std::string slurp(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// A directory of its own, gone in the end.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("fearnet_report_" + std::to_string(::getpid()));
    Folder() { fs::remove_all(path); }
    ~Folder() { fs::remove_all(path); }
};

TEST(SessionsCsv, reads_back_as_the_same_numbers_and_names) {
    const std::vector<RunRecord> runs = made_up_runs(3, 20);
    const auto rows = read_csv(sessions_csv(runs));
    ASSERT_EQ(rows.size(), 1 + 3 * 21u);
    std::map<std::string, std::size_t> column;
    for (std::size_t j = 0; j < rows[0].size(); ++j) column[rows[0][j]] = j;
    std::size_t i = 1;
    for (const RunRecord& run : runs)
        for (const SessionRecord& s : run.sessions) {
            const auto& row = rows[i++];
            ASSERT_EQ(row.size(), rows[0].size());
            const auto text = [&](const char* name) { return row[column.at(name)]; };
            EXPECT_EQ(text("dataset"), run.dataset);
            EXPECT_EQ(text("class"), s.class_name);
            EXPECT_EQ(text("seed"), std::to_string(run.seed));
            EXPECT_EQ(text("session"), std::to_string(s.session));
            EXPECT_EQ(text("slept"), s.slept ? "1" : "0");
            EXPECT_EQ(std::stod(text("base")), s.accuracy.base);
            EXPECT_EQ(std::stod(text("all")), s.accuracy.all);
            EXPECT_EQ(std::stod(text("oracle_all")), s.oracle->all);
            EXPECT_EQ(std::stod(text("offline_all")), s.offline.all);
            EXPECT_EQ(std::stod(text("seconds")), s.seconds);
            EXPECT_EQ(text("memory_bytes"), std::to_string(s.memory_bytes));
            if (s.session == 0)
                EXPECT_EQ(text("new"), "");
            else
                EXPECT_EQ(std::stod(text("new")), s.accuracy.recent);
        }
}

TEST(SessionsCsv, leaves_the_oracle_columns_empty_for_learners_without_a_router) {
    const auto rows = read_csv(sessions_csv(made_up_runs(1, 2, false)));
    for (std::size_t j = 0; j < rows[0].size(); ++j)
        if (rows[0][j].starts_with("oracle_")) {
            EXPECT_EQ(rows[2][j], "");
        }
}

TEST(SummaryJson, has_every_field_of_every_run) {
    const std::vector<RunRecord> runs = made_up_runs(2, 5);
    const auto root = nlohmann::json::parse(
        summary_json(runs, {"1.2.3", "2018-02-15T09:30:00Z", "a cpu", 2, "fearnet run"}));
    EXPECT_EQ(root["context"]["version"], "1.2.3");
    EXPECT_EQ(root["context"]["threads"], 2);
    EXPECT_EQ(root["context"]["cpu"], "a cpu");
    EXPECT_EQ(root["context"]["date"], "2018-02-15T09:30:00Z");
    EXPECT_EQ(root["context"]["command"], "fearnet run");
    ASSERT_EQ(root["runs"].size(), 2u);
    const auto& run = root["runs"][1];
    EXPECT_EQ(run["learner"], "fearnet");
    EXPECT_EQ(run["seed"], 2);
    EXPECT_EQ(run["dataset"], runs[1].dataset);
    EXPECT_EQ(run["omega_base"], runs[1].omega.omega_base);
    EXPECT_EQ(run["omega_new"], runs[1].omega.omega_new);
    EXPECT_EQ(run["omega_all"], runs[1].omega.omega_all);
    EXPECT_EQ(run["omega_all_restricted"], runs[1].omega_restricted.omega_all);
    EXPECT_EQ(run["oracle_all"], runs[1].omega_oracle->omega_all);
    EXPECT_EQ(run["offline_accuracy"], runs[1].offline_accuracy);
    EXPECT_EQ(run["final_accuracy"], runs[1].final_accuracy);
    EXPECT_EQ(run["memory_bytes"]["networks"], 3720000);
    EXPECT_EQ(run["seconds"]["base"], 2.5);
    EXPECT_EQ(run["options"]["network.hidden"], "350,300");
    EXPECT_EQ(run["finished"], true);
}

TEST(SummaryJson, gives_mean_and_deviation_over_the_finished_runs_only) {
    std::vector<RunRecord> runs = made_up_runs(3, 5);
    runs[0].final_accuracy = 0.5, runs[1].final_accuracy = 0.7, runs[2].final_accuracy = 0.1;
    runs[2].finished = false;
    const auto root = nlohmann::json::parse(summary_json(runs));
    EXPECT_NEAR(root["mean"]["final_accuracy"].get<double>(), 0.6, 1e-12);
    EXPECT_NEAR(root["deviation"]["final_accuracy"].get<double>(), 0.1414213562373095, 1e-12);
    runs.resize(1);
    EXPECT_TRUE(nlohmann::json::parse(summary_json(runs))["deviation"]["final_accuracy"].is_null());
}

TEST(SummaryJson, has_null_where_a_run_was_stopped_too_early) {
    RunRecord run = made_up_run(1, 0, false);
    run.finished = false;
    const auto root = nlohmann::json::parse(summary_json({run}));
    EXPECT_TRUE(root["runs"][0]["omega_all"].is_null());
    EXPECT_TRUE(root["runs"][0]["oracle_all"].is_null());
    EXPECT_TRUE(root["mean"]["omega_all"].is_null());
}

TEST(SummaryJson, has_null_for_scores_that_are_not_defined) {
    RunRecord run = made_up_run(1, 3, true);
    run.omega.omega_all = std::nan("");
    const auto root = nlohmann::json::parse(summary_json({run}));
    EXPECT_TRUE(root["runs"][0]["omega_all"].is_null());
    EXPECT_TRUE(root["mean"]["omega_all"].is_null());
    EXPECT_EQ(omega_table({run}).find("nan"), std::string::npos);
}

TEST(SummaryJson, survives_names_that_are_not_utf8) {
    RunRecord run = made_up_run(1, 1, false);
    run.dataset = "caf\xe9.csv";
    EXPECT_TRUE(nlohmann::json::accept(summary_json({run})));
}

TEST(OmegaTable, has_a_row_per_seed_then_mean_and_deviation_with_columns_aligned) {
    const std::string table = omega_table(made_up_runs(3, 5));
    std::istringstream lines(table);
    std::vector<std::string> rows;
    for (std::string line; std::getline(lines, line);) rows.push_back(line);
    ASSERT_GE(rows.size(), 9u);
    EXPECT_NE(rows[2].find("perfect router"), std::string::npos);
    for (std::size_t i = 3; i <= 8; ++i) EXPECT_EQ(rows[i].size(), rows[2].size()) << table;
    EXPECT_TRUE(rows[7].starts_with("mean ")) << table;
    EXPECT_TRUE(rows[8].starts_with("  +-")) << table;
}

TEST(OmegaTable, leaves_out_the_oracle_when_there_is_none_and_the_mean_of_a_single_run) {
    const std::string table = omega_table(made_up_runs(1, 5, false));
    EXPECT_EQ(table.find("perfect router"), std::string::npos);
    EXPECT_EQ(table.find("mean"), std::string::npos);
}

TEST(OmegaTable, marks_runs_that_were_stopped) {
    std::vector<RunRecord> runs = made_up_runs(2, 5);
    runs[1].finished = false;
    EXPECT_NE(omega_table(runs).find("2*"), std::string::npos);
    EXPECT_NO_THROW(omega_table({}));
    EXPECT_NO_THROW(omega_table({RunRecord{}}));
}

TEST(WriteReport, makes_the_directory_and_leaves_only_its_files) {
    const Folder folder;
    const std::vector<RunRecord> runs = made_up_runs(2, 5);
    write_report(folder.path / "a" / "b", made_up_runs(1, 2));
    write_report(folder.path / "a" / "b", runs);
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path / "a" / "b"))
        names.insert(entry.path().filename());
    EXPECT_EQ(names, (std::set<std::string>{"accuracy.svg", "page.html", "sessions.csv", "summary.json"}));
    EXPECT_EQ(slurp(folder.path / "a" / "b" / "sessions.csv"), sessions_csv(runs));
    EXPECT_EQ(slurp(folder.path / "a" / "b" / "accuracy.svg"), accuracy_svg(runs));
}

TEST(RunPage, shows_pictures_and_texts_and_nothing_in_them_acts) {
    const Folder folder;
    test::write_png(folder.path / "a.png", 4, [](unsigned, unsigned) { return std::array<int, 3>{1, 2, 3}; });
    std::ofstream(folder.path / "notes.txt") << "secret";
    const std::string picture = (folder.path / "a.png").string(),
                      notes = (folder.path / "notes.txt").string();
    RunRecord run = made_up_runs(1, 5)[0];
    run.learner = "<i>fearnet</i>";
    run.class_outcomes = {{"<u>owl</u>", 0, 8, 6, "\"wren\""}, {"wren", 3, 0, 0, ""}};
    run.shown_answers = {{picture, true, "owl", "owl"},
                         {notes, true, "owl", "wren"},
                         {picture, false, "owl", "wren"},
                         {"<script>alert(1)</script>", false, "owl", "owl"},
                         {(folder.path / "gone.png").string(), true, "owl", "owl"}};
    const std::string page = run_page({run});
    for (const char* dangerous : {"<u>owl", "<i>fearnet", "<script>", "secret"})
        EXPECT_EQ(page.find(dangerous), std::string::npos) << dangerous;
    EXPECT_NE(page.find("&lt;script&gt;alert(1)"), std::string::npos);
    EXPECT_NE(page.find("75 %"), std::string::npos);
    // The signature of PNG files in base64; a text that is the name of a file stays a text.
    const std::string signature = "data:image/png;base64,iVBORw0KGgo";
    const std::size_t first = page.find(signature);
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(page.find(signature, first + 1), std::string::npos);
    for (const char* outside : {"http://", "https://", "src=\"/"}) {
        const std::string others = std::string(page).replace(page.find("http://www.w3.org"), 17, "");
        EXPECT_EQ(others.find(outside), std::string::npos) << outside;
    }
}

TEST(WriteReport, names_the_path_that_cannot_be_written) {
    const Folder folder;
    std::ofstream(folder.path) << "a file, not a directory";
    try {
        write_report(folder.path, made_up_runs(1, 2));
        FAIL() << "no Error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(folder.path.string()), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace fearnet
