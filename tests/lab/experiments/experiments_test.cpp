#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "fearnet/lab/collect_results.hpp"
#include "fearnet/lab/schedule.hpp"
#include "support/blobs.hpp"
#include "support/data_files.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

using test::expect_error;

constexpr const char* kTwoRows = R"({"name": "two", "title": "Two", "source": "Table 9",
    "datasets": ["cub200", "cifar100+audioset"], "seeds": [1, 2],
    "rows": [{"row": "A", "learner": "fearnet", "datasets": ["cub200"], "base_classes": 5, "sleep_every": 2,
              "settings": {"network.hidden": "8,4", "sleep.epochs": 7, "sleep.fresh": false}},
             {"row": "B", "learner": "fearnet", "datasets": ["cifar100+audioset"], "base": "mixed",
              "preset": "cifar100,literal", "evaluate_every": 5, "seeds": [9]}],
    "quick": {"seeds": [4], "evaluate_every": 3, "settings": {"fearnet": {"sleep.epochs": 1}}},
    "paper": [{"row": "A", "dataset": "cub200", "omega_all": 0.5, "note": "odd"}],
    "claims": [{"id": "c", "text": "A is best.", "kind": "best", "row": "A", "column": "omega_all"}]})";

std::map<std::string, DataInfo> some_data() {
    return {{"cub200", {"cub200", "cub.npz", "00000000000000c1", 20, 1000}},
            {"cifar100", {"cifar100", "cifar.npz", "00000000000000c2", 10, 2000}},
            {"audioset", {"audioset", "audio.npz", "00000000000000c3", 7, 500}}};
}

TEST(Experiment, reads_a_config) {
    const Experiment e = parse_experiment(kTwoRows, "two.json");
    ASSERT_EQ(e.rows.size(), 2u);
    EXPECT_EQ(e.rows[0].settings,
              (Settings{{"network.hidden", "8,4"}, {"sleep.epochs", "7"}, {"sleep.fresh", "false"}}));
    EXPECT_EQ(e.rows[0].protocol.base_classes, 5);
    EXPECT_EQ(e.rows[0].protocol.evaluate_every, 1);
    EXPECT_EQ(e.rows[1].preset, "cifar100,literal");
    EXPECT_EQ(e.rows[1].seeds, std::vector<std::uint64_t>{9});
    EXPECT_EQ(e.paper.at(0).numbers.at("omega_all"), 0.5);
    EXPECT_EQ(e.claims.at(0).row, "A");
}

TEST(Experiment, quick_changes_seeds_evaluation_and_settings) {
    const Experiment e = quick_version(parse_experiment(kTwoRows, "two.json"));
    EXPECT_EQ(e.seeds, std::vector<std::uint64_t>{4});
    EXPECT_TRUE(e.rows[1].seeds.empty());
    EXPECT_EQ(e.rows[0].protocol.evaluate_every, 3);
    EXPECT_EQ(e.rows[1].protocol.evaluate_every, 5) << "never more often than without";
    EXPECT_EQ(e.rows[0].settings.back(), (std::pair<std::string, std::string>("sleep.epochs", "1")));
    EXPECT_EQ(e.rows[0].settings.size(), 3u);
}

// The config above with one piece put in the place of another.
void refuses(const std::string& piece, const std::string& instead, std::initializer_list<const char*> words) {
    std::string text = kTwoRows;
    const std::size_t at = text.find(piece);
    ASSERT_NE(at, std::string::npos) << piece;
    text.replace(at, piece.size(), instead);
    expect_error([&] { parse_experiment(text, "bad.json"); }, words);
}

TEST(Experiment, refuses_bad_configs_naming_the_place) {
    expect_error([] { parse_experiment("{", "bad.json"); }, {"bad.json", "JSON"});
    expect_error([] { parse_experiment("[]", "bad.json"); }, {"bad.json", "object"});
    refuses(R"("title": "Two")", R"("titel": "Two")", {"bad.json", "'title' is missing"});
    refuses(R"("title": "Two")", R"("title": 2)", {"'title' must be text"});
    refuses(R"("name": "two")", R"("name": "../two")", {"name '../two'"});
    refuses(R"("seeds": [1, 2])", R"("seeds": [1, 1])", {"'seeds'", "twice"});
    refuses(R"("seeds": [1, 2])", R"("seeds": [-1])", {"'seeds'", "whole"});
    refuses(R"("seeds": [1, 2])", R"("seeds": [])", {"'seeds'", "empty"});
    refuses(R"("base_classes": 5)", R"("base_classes": -1)", {"row 1", "'base_classes'", "0 .. 1000000"});
    refuses(R"("sleep_every": 2)", R"("sleep_evry": 2)", {"row 1", "'sleep_evry' is not a field"});
    refuses(R"("sleep.epochs": 7)", R"("sleep.epochs": [7])", {"setting sleep.epochs"});
    refuses(R"("row": "B")", R"("row": "")", {"row 2", "empty"});
    refuses(R"("datasets": ["cub200"])", R"("datasets": ["cub"])", {"row 'A'", "'cub'"});
    refuses(R"("base": "mixed")", R"("base": "cub200")", {"row 'B'", "base 'cub200'"});
    refuses(R"("base": "mixed",)", "", {"row 'B'", "mixed"});
    refuses(R"("omega_all": 0.5)", R"("omega_all": "0.5")", {"paper 1", "must be a number"});
    refuses(R"("omega_all": 0.5)", R"("omega_al": 0.5)", {"paper 1", "column 'omega_al'", "omega_all"});
    refuses(R"("kind": "best")", R"("kind": "worst")",
            {"claim 1", "kind 'worst'", "trend, best, greater, least"});
    refuses(R"("column": "omega_all")", R"("column": "omega")", {"claim 1", "column 'omega'"});
    refuses(R"("column": "omega_all")", R"("column": "omega_all", "by": 1)",
            {"claim 1", "'by' is not a field"});
}

TEST(Experiment, has_all_of_the_paper_with_numbers_and_claims) {
    EXPECT_GE(paper_experiments().size(), 9u);
    for (const std::string& name : paper_experiments()) {
        const Experiment e = paper_experiment(name);
        EXPECT_EQ(e.name, name);
        // Ours may have the paper's numbers beside them, the paper's must.
        EXPECT_TRUE(!e.paper.empty() || e.source.starts_with("not in the paper")) << name;
        EXPECT_FALSE(e.quick.seeds.empty()) << name;
        std::set<std::pair<std::string, std::string>> rows;
        for (const ExperimentRow& row : e.rows)
            for (const std::string& dataset : row.datasets.empty() ? e.datasets : row.datasets)
                rows.emplace(row.row, dataset);
        for (const PaperNumbers& p : e.paper)
            EXPECT_EQ(rows.count({p.row, p.dataset}), 1u) << name << ": " << p.row << " on " << p.dataset;
        for (const Claim& claim : e.claims) {
            for (const std::string& row : {claim.row, claim.than_row})
                if (!row.empty()) {
                    EXPECT_TRUE(
                        std::any_of(rows.begin(), rows.end(), [&](auto& r) { return r.first == row; }))
                        << name << ": " << claim.id;
                }
        }
    }
    expect_error([] { paper_experiment("none"); }, {"'none'", "soa"});
}

TEST(Plan, has_an_entry_per_data_set_row_and_seed_in_the_order_of_the_config) {
    const auto plan = make_plan(parse_experiment(kTwoRows, "two.json"), some_data(), {});
    ASSERT_EQ(plan.size(), 3u);
    EXPECT_EQ(plan[0].run.learner.preset, "cub200") << "the preset called like the data set";
    EXPECT_EQ(plan[1].run.seed, 2u);
    EXPECT_EQ(plan[2].run.learner.preset, "cifar100,literal");
    EXPECT_EQ(plan[2].run.protocol.base_classes, 5 + 3) << "half of each";
    EXPECT_EQ(base_groups(plan[2].run)[1].classes.front(), ClassId{10});
    for (const PlannedRun& p : plan) EXPECT_EQ(p.problem, "");
}

TEST(Plan, tells_what_cannot_be_run) {
    auto data = some_data();
    data.erase("audioset");
    data["cub200"].classes = 5;
    const auto plan = make_plan(parse_experiment(kTwoRows, "two.json"), data, {{}, {}, {"B"}});
    EXPECT_NE(plan[0].problem.find("leave at least 1"), std::string::npos) << plan[0].problem;
    EXPECT_NE(plan[2].problem.find("--data audioset=FILE"), std::string::npos) << plan[2].problem;
    EXPECT_TRUE(plan[2].skipped);
    EXPECT_FALSE(plan[0].skipped);
}

TEST(RunId, stays_the_same_and_changes_with_everything_that_matters) {
    const RunDefinition run = make_plan(parse_experiment(kTwoRows, "two.json"), some_data(), {})[0].run;
    EXPECT_EQ(run_id(run), run_id(run));
    EXPECT_TRUE(run_id(run).starts_with("cub200-fearnet-base5-sleep2-seed1-")) << run_id(run);
    EXPECT_TRUE(offline_id(run).starts_with("cub200-seed1-")) << offline_id(run);

    std::vector<RunDefinition> others(9, run);
    others[0].seed = 2;
    others[1].protocol.sleep_every = 3;
    others[2].protocol.base_classes = 6;
    others[3].protocol.evaluate_every = 2;
    others[4].parts[0].fingerprint = "00000000000000c9";
    others[5].learner.settings[1].second = "8";
    others[6].learner.preset = "cub200,literal";
    others[7].learner.settings.emplace_back("statistics.covariance", "diagonal");
    others[8].base = "mixed";
    std::set<std::string> ids{run_id(run)};
    for (const RunDefinition& other : others) ids.insert(run_id(other));
    EXPECT_EQ(ids.size(), 10u);

    RunDefinition same = run;
    same.learner.settings.emplace_back("statistics.covariance", "full");  // the default, said aloud
    same.parts[0].source = "elsewhere.npz";
    EXPECT_EQ(run_id(same), run_id(run));
}

TEST(RunId, changes_with_open_world_answers_and_their_far_data) {
    RunDefinition run = make_plan(parse_experiment(kTwoRows, "two.json"), some_data(), {})[0].run;
    std::set<std::string> ids{run_id(run)};
    run.protocol.open_world = true;
    ids.insert(run_id(run));
    run.far_data = some_data().at("audioset");
    ids.insert(run_id(run));
    EXPECT_EQ(ids.size(), 3u);
}

constexpr const char* kOpenWorld = R"({
    "name": "open", "title": "Open", "datasets": ["cub200", "audioset"], "seeds": [1],
    "rows": [{"row": "A", "learner": "fearnet", "open_world": true}, {"row": "B", "learner": "fearnet"}],
    "far_data": {"cub200": "audioset"}})";

TEST(Plan, gives_far_data_to_runs_that_measure_open_world_answers) {
    const Experiment experiment = parse_experiment(kOpenWorld, "open.json");
    const auto plan = make_plan(experiment, some_data(), {});
    ASSERT_EQ(plan.size(), 4u);
    ASSERT_TRUE(plan[0].run.far_data);
    EXPECT_EQ(plan[0].run.far_data->name, "audioset");
    EXPECT_FALSE(plan[1].run.far_data) << "row B does not measure them";
    EXPECT_FALSE(plan[2].run.far_data) << "none is named for audioset";
    Job job;
    job.run = plan[0].run;
    EXPECT_EQ(parse_job(job_text(job)).run.far_data->fingerprint, plan[0].run.far_data->fingerprint);
    EXPECT_EQ(run_id(parse_job(job_text(job)).run), plan[0].id);

    auto data = some_data();
    data.erase("audioset");
    const auto without = make_plan(experiment, data, {});
    EXPECT_EQ(without[0].problem, "") << "noise is measured";
    EXPECT_FALSE(without[0].run.far_data);
    expect_error(
        [] {
            std::string bad = kOpenWorld;
            bad.replace(bad.find(R"(: "audioset"})"), 12, R"(: "cub200")");
            parse_experiment(bad, "open.json");
        },
        {"open.json: far_data", "'cub200' for cub200"});
}

TEST(RunId, tells_frames_that_the_run_detects_from_a_number_that_was_set) {
    RunDefinition run = make_plan(parse_experiment(kTwoRows, "two.json"), some_data(), {})[0].run;
    run.learner = {"fearnet-plus", "", {}};
    std::set<std::string> ids{run_id(run)};
    for (const char* frames : {"1", "10"}) {
        run.learner.settings = {{"features.frames", frames}};
        ids.insert(run_id(run));
    }
    EXPECT_EQ(ids.size(), 3u);
}

// Finished runs are found by their ids: these must not change. The data and the options are those of the
// config above, so a new option of FearNet or another default belongs into kCameLater of run_id.cpp.
TEST(RunId, is_the_one_that_finished_runs_have) {
    std::string text = kTwoRows;
    const auto plan = make_plan(parse_experiment(text, "two.json"), some_data(), {});
    EXPECT_EQ(plan[0].id, "cub200-fearnet-base5-sleep2-seed1-45278d15feb2ddb2");
    EXPECT_EQ(plan[2].id, "cifar100+audioset-fearnet-base8-mixed-sleep10-seed9-b09e14e599bd16da");
    EXPECT_EQ(plan[0].offline, "cub200-seed1-20c76f5a279f898b");
    text.replace(text.find("\"sleep_every\": 2"), 16, "\"returning\": 0.5, \"shift\": 2");
    EXPECT_EQ(make_plan(parse_experiment(text, "two.json"), some_data(), {})[0].id,
              "cub200-fearnet-base5-sleep10-seed1-a5b297d9eb74139d");
}

TEST(OfflineId, changes_only_with_what_the_offline_model_uses) {
    const RunDefinition run = make_plan(parse_experiment(kTwoRows, "two.json"), some_data(), {})[0].run;
    RunDefinition other = run;
    other.protocol.sleep_every = 1, other.protocol.base_classes = 3;
    other.learner.settings.emplace_back("training.base_epochs", "3");
    EXPECT_EQ(offline_id(other), offline_id(run));
    other.learner.settings.emplace_back("training.offline_epochs", "3");
    EXPECT_NE(offline_id(other), offline_id(run));
    other = run, other.seed = 2;
    EXPECT_NE(offline_id(other), offline_id(run));
}

TEST(Job, survives_the_way_to_another_process) {
    const auto plan = make_plan(parse_experiment(kTwoRows, "two.json"), some_data(), {});
    for (const PlannedRun& p : plan) {
        const Job job{Job::Kind::run, p.run, p.id, p.offline, p.label};
        const Job back = parse_job(job_text(job));
        EXPECT_EQ(job_text(back), job_text(job));
        EXPECT_EQ(run_id(back.run), p.id);
    }
    EXPECT_THROW(parse_job("{}"), Error);
}

TEST(Schedule, trains_an_offline_model_once_before_the_runs_that_need_it) {
    const test::TempFolder folder;
    const auto plan = make_plan(parse_experiment(kTwoRows, "two.json"), some_data(), {});
    Schedule schedule(plan, folder.path());
    ASSERT_EQ(schedule.jobs().size(), 6u);
    const auto a = schedule.next(), b = schedule.next(), c = schedule.next();
    for (const auto& job : {a, b, c}) EXPECT_EQ(schedule.jobs()[*job].kind, Job::Kind::offline);
    EXPECT_FALSE(schedule.next()) << "every run waits";
    schedule.finished(*b, "");
    const auto run = schedule.next();
    ASSERT_TRUE(run);
    EXPECT_EQ(schedule.jobs()[*run].offline, schedule.jobs()[*b].id);
    schedule.finished(*a, "no memory");
    schedule.finished(*c, "");
    schedule.finished(*run, "");
    EXPECT_FALSE(schedule.done());
    const auto last = schedule.next();
    ASSERT_TRUE(last);
    schedule.finished(*last, "");
    EXPECT_TRUE(schedule.done()) << "the run of the failed model failed with it";
    EXPECT_EQ(schedule.problems().size(), 2u);
    EXPECT_EQ(schedule.fraction({}), 1);
}

}  // namespace
}  // namespace fearnet
