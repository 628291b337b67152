// Whole sweeps of the real program on tiny data.
#include <nlohmann/json.hpp>

#include "integration/cli_process.hpp"

namespace fearnet::test {
namespace {

// Small enough for a test: what every row of the experiment adds to FearNet.
constexpr const char* kSmall =
    R"("network.hidden": "12,8", "training.base_epochs": 5, "training.min_steps": 20,
       "training.offline_epochs": 20, "sleep.epochs": 5, "sleep.min_steps": 20, "amygdala.epochs": 2)";

class CliPaper : public CliTest {
  protected:
    // An experiment of two rows that work, and perhaps some that do not.
    std::string config(const std::string& more_rows = "") {
        const fs::path path = folder_ / "tiny.json";
        std::ofstream(path)
            << R"({"name": "tiny", "title": "Tiny", "source": "Table 0", "datasets": ["clouds"],
            "seeds": [1, 2, 3], "rows": [
            {"row": "often", "learner": "fearnet", "sleep_every": 1, "settings": {)"
            << kSmall << R"(}},
            {"row": "rarely", "learner": "fearnet", "sleep_every": 3, "settings": {)"
            << kSmall << "}}" << more_rows << R"(],
            "paper": [{"row": "often", "dataset": "clouds", "omega_base": 0.9, "omega_all": 0.8}],
            "claims": []})";
        return path.string();
    }
    std::vector<std::string> paper(const std::string& out, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"paper",  "tiny", "--config", config_,
                                           "--data", data_,  "--out",    (folder_ / out).string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    std::string csv(const std::string& out) { return slurp(folder_ / out / "tiny.csv"); }
    std::string sessions(const std::string& out) { return slurp(folder_ / out / "tiny_sessions.csv"); }
    std::size_t files(const std::string& out, const std::string& folder) {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_ / out / folder), {}));
    }

    std::string data_ = "clouds=" + clouds(8, 20);
    std::string config_ = config();
};

TEST_F(CliPaper, does_every_run_once_and_writes_the_files) {
    const Outcome outcome = run(paper("results", {"--jobs", "2"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(lines_in(csv("results")), 1 + 2 * 3u);
    EXPECT_EQ(lines_in(sessions("results")), 1 + 2 * 3 * 5u);
    EXPECT_EQ(files("results", "runs"), 6u);
    EXPECT_EQ(files("results", "offline"), 3u) << "rows share the offline model";
    EXPECT_NE(outcome.out.find("paper 0.900"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("fearnet report"), std::string::npos);
    const auto json = nlohmann::json::parse(slurp(folder_ / "results" / "tiny.json"));
    EXPECT_EQ(json["runs"].size(), 6u);
    EXPECT_TRUE(json["missing"].empty());
    EXPECT_EQ(json["runs"][0]["options"]["network.hidden"], "12,8");

    const Outcome again = run(paper("results"));
    EXPECT_EQ(again.code, 0);
    EXPECT_EQ(again.err.find("began"), std::string::npos)
        << "a finished run is not done again: " << again.err;
}

TEST_F(CliPaper, gives_the_same_bytes_with_one_job_and_with_two) {
    ASSERT_EQ(run(paper("one", {"--jobs", "1", "--quiet"})).code, 0);
    ASSERT_EQ(run(paper("two", {"--jobs", "2", "--quiet"})).code, 0);
    EXPECT_EQ(csv("one"), csv("two"));
    EXPECT_EQ(sessions("one"), sessions("two"));
}

TEST_F(CliPaper, goes_on_after_kill_9_and_ends_with_the_same_bytes) {
    ASSERT_EQ(run(paper("whole", {"--quiet"})).code, 0);
    const pid_t child = start(paper("killed", {"--jobs", "2"}));
    ASSERT_TRUE(wait_until_said("finished clouds often"));
    ::kill(child, SIGKILL);
    EXPECT_EQ(wait_for(child).code, -1);
    std::map<fs::path, fs::file_time_type> finished;
    for (const auto& entry : fs::directory_iterator(folder_ / "killed" / "runs"))
        if (entry.path().extension() == ".json") finished[entry.path()] = entry.last_write_time();
    EXPECT_GE(finished.size(), 1u);
    EXPECT_LT(finished.size(), 6u);
    const Outcome rest = run(paper("killed", {"--jobs", "2"}));
    ASSERT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(files("killed", "runs"), 6u);
    for (const auto& [path, time] : finished)
        EXPECT_EQ(fs::last_write_time(path), time) << path << " was finished and must not be done again";
    EXPECT_EQ(times_said(rest.err, "began    clouds often") + times_said(rest.err, "began    clouds rarely"),
              6 - finished.size())
        << rest.err;
    EXPECT_EQ(csv("whole"), csv("killed"));
    EXPECT_EQ(sessions("whole"), sessions("killed"));
}

TEST_F(CliPaper, keeps_what_is_finished_when_interrupted) {
    const pid_t child = start(paper("stopped", {"--jobs", "2"}));
    ASSERT_TRUE(wait_until_said("finished clouds often"));
    ::kill(child, SIGINT);
    const Outcome outcome = wait_for(child);
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_GE(lines_in(csv("stopped")), 2u);
    EXPECT_NE(outcome.err.find("not run"), std::string::npos) << outcome.err;
    ASSERT_EQ(run(paper("stopped", {"--quiet"})).code, 0);
    EXPECT_EQ(lines_in(csv("stopped")), 7u);
}

TEST_F(CliPaper, reports_unknown_learners_and_options_as_missing_and_does_the_rest) {
    config_ = config(R"(, {"row": "new", "learner": "not-written-yet"},
                        {"row": "odd", "learner": "fearnet", "settings": {"no.such": 1}})");
    const Outcome outcome = run(paper("partly", {"--seeds", "1"}));
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_NE(outcome.err.find("missing: new on clouds, seed 1: learner 'not-written-yet'"),
              std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("missing: odd"), std::string::npos) << outcome.err;
    EXPECT_EQ(lines_in(csv("partly")), 3u);
    EXPECT_EQ(nlohmann::json::parse(slurp(folder_ / "partly" / "tiny.json"))["missing"].size(), 2u);
    EXPECT_EQ(run(paper("partly", {"--seeds", "1", "--skip", "new,odd", "--quiet"})).code, 0)
        << "what was skipped on purpose is not missing";
}

TEST_F(CliPaper, reports_a_run_that_fails_and_does_it_again_next_time) {
    // A run needs its offline model; one that is no npz file makes every run fail.
    ASSERT_EQ(run(paper("broken", {"--quiet", "--rows", "often", "--seeds", "1"})).code, 0);
    fs::path offline;
    for (const auto& entry : fs::directory_iterator(folder_ / "broken" / "offline")) offline = entry.path();
    const std::string good = slurp(offline);
    std::ofstream(offline) << "nonsense";
    const Outcome outcome = run(paper("broken", {"--seeds", "1"}));
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_NE(outcome.err.find("missing: rarely on clouds, seed 1: failed: "), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("npz"), std::string::npos) << "the child's own words: " << outcome.err;
    EXPECT_EQ(lines_in(csv("broken")), 2u);
    std::ofstream(offline, std::ios::binary) << good;
    EXPECT_EQ(run(paper("broken", {"--quiet", "--seeds", "1"})).code, 0);
}

TEST_F(CliPaper, lets_one_sweep_at_a_time_work_in_a_directory) {
    const pid_t first = start(paper("shared"));
    ASSERT_TRUE(wait_until_said("began"));
    // A second process with files of its own for its output.
    const std::string second = std::string(FEARNET_CLI) + " paper tiny --config " + config_ + " --data " +
                               data_ + " --out " + (folder_ / "shared").string() + " >/dev/null 2>" +
                               (folder_ / "second").string();
    const int status = std::system(second.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2);
    EXPECT_NE(slurp(folder_ / "second").find("another 'fearnet paper'"), std::string::npos);
    ::kill(first, SIGINT);
    EXPECT_EQ(wait_for(first).code, 130);
}

TEST_F(CliPaper, lists_the_experiments_and_says_what_it_would_do) {
    const Outcome list = run({"paper", "list"});
    EXPECT_EQ(list.code, 0);
    for (const char* name : {"soa", "oracle", "sleep-frequency", "multimodal", "base-size", "memory",
                             "covariance", "exemplars", "routers"})
        EXPECT_NE(list.out.find(name), std::string::npos) << name;
    const Outcome plan = run(paper("none", {"--dry-run", "--skip", "often"}));
    EXPECT_EQ(plan.code, 0) << plan.err;
    EXPECT_NE(plan.out.find("3 runs and 3 offline MLPs to do"), std::string::npos) << plan.out;
    EXPECT_FALSE(fs::exists(folder_ / "none"));
    config_ = config(R"(, {"row": "often, not", "learner": "fearnet"})");
    const Outcome comma = run(paper("none", {"--dry-run", "--rows", "often, not,rarely", "--seeds", "1"}));
    EXPECT_NE(comma.out.find("often, seed 1: skipped"), std::string::npos) << comma.out << comma.err;
    EXPECT_NE(comma.out.find("often, not, seed 1: to do"), std::string::npos) << comma.out;
}

TEST_F(CliPaper, joins_two_data_sets_and_starts_with_the_classes_of_one) {
    const fs::path path = folder_ / "both.json";
    std::ofstream(path)
        << R"({"name": "both", "title": "Both", "datasets": ["cifar100+audioset"], "seeds": [1],
        "rows": [)"
        << R"({"row": "one", "learner": "fearnet", "base": "cifar100", "settings": {)" << kSmall
        << R"(}}, {"row": "mix", "learner": "fearnet", "base": "mixed", "settings": {)" << kSmall << "}}]}";
    const fs::path out = folder_ / "joined";
    const std::string file = clouds(6, 15);
    const Outcome outcome = run({"paper", "both", "--config", path.string(), "--data",
                                 "cifar100=" + file + ",audioset=" + file, "--out", out.string()});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    std::istringstream lines(slurp(out / "both_sessions.csv"));
    std::size_t later = 0;
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("both,one,") && line.find("/cloud_") != std::string::npos) {
            ++later;
            EXPECT_NE(line.find("audioset/"), std::string::npos) << line;
        }
    EXPECT_EQ(later, 6u);
    EXPECT_EQ(static_cast<int>(std::distance(fs::directory_iterator(out / "offline"), {})), 1)
        << "the offline model does not depend on the order";
}

TEST_F(CliPaper, refuses_bad_input_with_one_line_and_exit_code_2) {
    const std::string out = (folder_ / "bad").string();
    const auto refuses = [&](std::vector<std::string> arguments, const std::string& piece) {
        arguments.insert(arguments.end(), {"--out", out});
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2) << piece;
        EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
        EXPECT_NE(outcome.err.find(piece), std::string::npos) << outcome.err;
        EXPECT_FALSE(fs::exists(out));
    };
    refuses({"paper"}, "fearnet paper list");
    refuses({"paper", "soap"}, "no such experiment; there are soa");
    refuses({"paper", "soa"}, "--data is missing");
    refuses({"paper", "soa", "--data", "cub200"}, "NAME=FILE");
    refuses({"paper", "soa", "--data", "cub=x"}, "no experiment uses");
    refuses({"paper", "soa", "--data", "cub200=/no/such/file.npz"}, "/no/such/file.npz");
    refuses({"paper", "soa", "--data", data_, "--jobs", "none"}, "no experiment uses");
    refuses({"paper", "tiny", "--config", config_, "--data", data_, "--jobs", "0"}, "--jobs '0'");
    refuses({"paper", "tiny", "--config", config_, "--data", data_, "--rows", "never"},
            "it has often, rarely");
    refuses({"paper", "tiny", "--config", config_, "--data", data_, "--seeds", "1,1"}, "twice");
    refuses({"paper", "other", "--config", config_, "--data", data_}, "called 'tiny'");
    refuses({"paper", "tiny", "--config", folder_ / "none.json", "--data", data_}, "cannot read it");
}

#ifndef FEARNET_MPI
TEST_F(CliPaper, says_how_to_build_with_mpi_when_started_by_mpirun) {
    ::setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    const Outcome outcome = run(paper("ranks"));
    ::unsetenv("OMPI_COMM_WORLD_SIZE");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("-DFEARNET_MPI=ON"), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(folder_ / "ranks"));
}
#endif

TEST_F(CliPaper, gives_the_same_bytes_under_mpirun_as_with_two_jobs) {
#ifndef FEARNET_MPI_CLI
    GTEST_SKIP() << "built without MPI (packages libopenmpi-dev and openmpi-bin)";
#else
    const std::string mpirun = "mpirun --allow-run-as-root --oversubscribe -n 2 ";
    if (std::system((mpirun + "true >/dev/null 2>&1").c_str()) != 0)
        GTEST_SKIP() << mpirun << "true: does not work here";
    ASSERT_EQ(run(paper("jobs", {"--jobs", "2", "--quiet"})).code, 0);
    std::string command = mpirun + FEARNET_MPI_CLI;
    for (const std::string& a : paper("ranks")) command += " " + a;
    command += " >" + (folder_ / "mpi_out").string() + " 2>" + (folder_ / "mpi_err").string();
    const int status = std::system(command.c_str());
    const std::string said = slurp(folder_ / "mpi_err");
    ASSERT_EQ(WEXITSTATUS(status), 0) << said;
    EXPECT_EQ(csv("jobs"), csv("ranks"));
    EXPECT_EQ(sessions("jobs"), sessions("ranks"));
    EXPECT_EQ(times_said(said, "began"), 9u) << "six runs and three offline models, each once: " << said;
#endif
}

}  // namespace
}  // namespace fearnet::test
