// Whole runs of the real program.
#include <nlohmann/json.hpp>

#include "integration/cli_process.hpp"

namespace fearnet::test {
namespace {

using CliRun = CliTest;

TEST_F(CliRun, writes_the_three_files_and_prints_the_omega_table) {
    const fs::path out = folder_ / "deep" / "results";
    const Outcome outcome = run(with_small_network(
        {"run", clouds(6, 20), "--sleep-every", "2", "--seeds", "3,4", "--out", out.string()}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("Omega"), std::string::npos);
    EXPECT_NE(outcome.out.find((out / "accuracy.svg").string()), std::string::npos);
    EXPECT_NE(outcome.err.find("session 2/3  +cloud_"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << "no colors or bars where there is no terminal";
    EXPECT_EQ(lines_in(slurp(out / "sessions.csv")), 1 + 2 * 4u);
    EXPECT_NE(slurp(out / "accuracy.svg").find("</svg>"), std::string::npos);

    const auto summary = nlohmann::json::parse(slurp(out / "summary.json"));
    ASSERT_EQ(summary["runs"].size(), 2u);
    const auto& first = summary["runs"][0];
    EXPECT_EQ(first["seed"], 3);
    EXPECT_EQ(first["finished"], true);
    EXPECT_EQ(first["base_classes"], 3);
    EXPECT_EQ(first["options"]["network.hidden"], "12,8");
    for (const char* name : {"omega_base", "omega_new", "omega_all", "offline_accuracy", "final_accuracy"})
        EXPECT_TRUE(first[name].is_number()) << name;
    EXPECT_FALSE(first["memory_bytes"].empty());
    EXPECT_FALSE(summary["context"]["command"].get<std::string>().empty());
}

TEST_F(CliRun, records_the_number_of_frames_that_was_detected_or_set) {
    const auto frames = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"run",
                                           sounds(80),
                                           "--learner",
                                           "fearnet-plus",
                                           "--quiet",
                                           "--set",
                                           "features.random=64",
                                           "--out",
                                           (folder_ / "out").string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const auto summary = nlohmann::json::parse(slurp(folder_ / "out" / "summary.json"));
        return summary["runs"][0]["options"]["features.frames"].get<std::string>();
    };
    EXPECT_EQ(frames({}), "10");
    EXPECT_EQ(frames({"--set", "features.frames=1"}), "1");
}

TEST_F(CliRun, measures_open_world_answers_on_any_data_set) {
    const fs::path out = folder_ / "open";
    const std::string data = clouds(6, 20);
    const Outcome outcome = run({"run", data, "--learner", "nearest-mean", "--open-world", "--far-data", data,
                                 "--quiet", "--out", out.string()});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (const char* text : {"AUROC", "nearest neighbors", "AUROC, far data", "expected calibration error"})
        EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
    EXPECT_NE(slurp(out / "sessions.csv").find(",seconds,coverage_95,"), std::string::npos);
    const auto summary = nlohmann::json::parse(slurp(out / "summary.json"));
    EXPECT_TRUE(summary["runs"][0]["open_world"]["auroc_softmax"].is_number());
    EXPECT_EQ(summary["runs"][0]["open_world"]["reliability"].size(), 15u);

    const Outcome refused = run({"run", data, "--far-data", data});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("--far-data"), std::string::npos) << refused.err;
}

TEST_F(CliRun, gives_the_same_sessions_twice_apart_from_the_times) {
    const std::string data = clouds(5, 15);
    const auto accuracies = [&](const std::string& name) {
        const fs::path out = folder_ / name;
        EXPECT_EQ(
            run(with_small_network({"run", data, "--threads", "1", "--quiet", "--out", out.string()})).code,
            0);
        std::istringstream file(slurp(out / "sessions.csv"));
        std::string text;
        for (std::string line; std::getline(file, line);) text += line.substr(0, line.rfind(',')) + "\n";
        return text;
    };
    EXPECT_EQ(accuracies("first"), accuracies("second"));
}

TEST_F(CliRun, shows_nothing_but_results_when_quiet_and_says_how_to_get_the_picture) {
    const Outcome outcome = run(with_small_network({"run", clouds(4, 15), "--quiet"}));
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("--out"), std::string::npos);
}

TEST_F(CliRun, reads_data_after_settings) {
    std::vector<std::string> arguments = with_small_network({"run", "--quiet"});
    arguments.push_back(clouds(4, 15));
    EXPECT_EQ(run(arguments).code, 0);
}

TEST_F(CliRun, keeps_what_was_finished_when_interrupted) {
    for (const int signal : {SIGINT, SIGTERM}) {
        const fs::path out = folder_ / ("interrupted_" + std::to_string(signal));
        const pid_t child = start(
            with_small_network({"run", clouds(40, 40), "--seeds", "1,2,3,4,5,6", "--out", out.string()}));
        ASSERT_TRUE(wait_until_said("session  2/20"));
        ::kill(child, signal);
        const Outcome outcome = wait_for(child);
        EXPECT_EQ(outcome.code, 130) << outcome.err;
        EXPECT_NE(outcome.err.find("interrupted"), std::string::npos);
        EXPECT_GE(lines_in(slurp(out / "sessions.csv")), 4u);
        const auto summary = nlohmann::json::parse(slurp(out / "summary.json"));
        EXPECT_EQ(summary["runs"].back()["finished"], false);
        EXPECT_EQ(fs::exists(out / "accuracy.svg"), true);
        EXPECT_EQ(std::distance(fs::directory_iterator(out), {}), 4);
    }
}

TEST_F(CliRun, leaves_nothing_when_interrupted_before_the_first_session) {
    const fs::path out = folder_ / "too" / "early";
    const pid_t child =
        start({"run", clouds(10, 200), "--set", "training.offline_epochs=10000", "--out", out.string()});
    ASSERT_TRUE(wait_until_said("training and"));
    ::kill(child, SIGINT);
    const Outcome outcome = wait_for(child);
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(fs::exists(folder_ / "too"));
}

TEST_F(CliRun, lists_options_data_sets_help_and_version) {
    const Outcome options = run({"options"});
    EXPECT_EQ(options.code, 0);
    EXPECT_NE(options.out.find("hippocampus.epsilon"), std::string::npos);
    const Outcome page = run({"options", "--markdown"});
    EXPECT_EQ(page.code, 0);
    EXPECT_NE(page.out.find("| `hippocampus.epsilon` |"), std::string::npos);
    const Outcome sets = run({"datasets"});
    EXPECT_EQ(sets.code, 0);
    EXPECT_NE(sets.out.find("languages"), std::string::npos);
    for (const char* command : {"run", "datasets", "options"}) {
        const Outcome help = run({command, "--help"});
        EXPECT_EQ(help.code, 0);
        EXPECT_EQ(help.err, "");
    }
    EXPECT_EQ(run({"--version"}).out, run({"version"}).out);
    EXPECT_EQ(run({}).out, run({"--help"}).out);
}

}  // namespace
}  // namespace fearnet::test
