// What the commands say about data before they use it, and what they refuse.
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "data/packages/command.hpp"
#include "data/io/npz.hpp"
#include "integration/cli_process.hpp"
#include "support/npz_bomb.hpp"

namespace fearnet::test {
namespace {

using Json = nlohmann::json;

class CliData : public CliTest {
  protected:
    CliData() { EXPECT_EQ(run({"new", brain_}).code, 0); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    // Rows around the center of their class: `columns` are the names of four features before the label.
    std::string table(const std::string& name, const std::string& header, bool with_id, bool with_label,
                      int rows = 60) {
        Rng rng(3);
        std::ofstream file(folder_ / name);
        file << header << "\n";
        for (int i = 0; i < rows; ++i) {
            if (with_id) file << 1000 + i << ",";
            for (int j = 0; j < 4; ++j) file << (j ? "," : "") << 3 * (i % 3 == j) + 0.3 * rng.normal();
            if (with_label) file << ",kind_" << i % 3;
            file << "\n";
        }
        return path(name);
    }
    void expect_refused(const std::vector<std::string>& arguments, std::initializer_list<const char*> told) {
        const std::string before = slurp(brain_);
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
        for (const char* words : told)
            EXPECT_NE(outcome.err.find(words), std::string::npos) << words << " is not in: " << outcome.err;
        EXPECT_TRUE(slurp(brain_) == before) << "the brain has changed";
    }
    // The largest resident memory of the program, in MB.
    Outcome run_measured(const std::vector<std::string>& arguments, long& peak) {
        const pid_t child = start(arguments);
        int status = 0;
        rusage use{};
        ::wait4(child, &status, 0, &use);
        peak = use.ru_maxrss / 1024;
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder_ / "stdout"),
                slurp(folder_ / "stderr")};
    }

    std::string brain_ = (folder_ / "a.brain").string();
};

TEST_F(CliData, learning_says_first_what_was_understood) {
    const std::string data = table("base.csv", "a,b,c,d,label", false, true);
    Outcome outcome = run({"learn", brain_, data, "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("base.csv: 60 rows, 4 features, 3 classes from column 'label'\n"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(outcome.err.find("warning"), std::string::npos) << outcome.err;
    EXPECT_FALSE(Json::parse(outcome.out, nullptr, false).is_discarded()) << outcome.out;
    EXPECT_EQ(run({"learn", brain_, data, "--quiet"}).err, "");
    const std::string owls = table("owls.csv", "a,b,c,d", false, false);
    outcome = run({"learn", brain_, owls, "--label", "owl"});
    EXPECT_NE(outcome.err.find("owls.csv: 60 rows, 4 features, all of class 'owl'"), std::string::npos)
        << outcome.err;
}

TEST_F(CliData, a_dry_run_says_what_was_understood_and_changes_nothing) {
    const std::string data = table("base.csv", "a,b,c,d,label", false, true), before = slurp(brain_);
    Outcome outcome = run({"learn", brain_, data, "--dry-run"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("60 rows, 4 features, 3 classes"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.out.find("nothing was learned"), std::string::npos) << outcome.out;
    outcome = run({"learn", brain_, data, "--dry-run", "--json"});
    const Json said = Json::parse(outcome.out, nullptr, false);
    ASSERT_TRUE(said.is_object()) << outcome.out;
    EXPECT_EQ(said["features"], 4);
    EXPECT_EQ(said["labels_from"], "column 'label'");
    EXPECT_EQ(said["new_classes"].size(), 3u);
    EXPECT_TRUE(slurp(brain_) == before) << "the brain has changed";
}

TEST_F(CliData, a_file_without_labels_is_not_learned_as_a_class_per_row) {
    const std::string data = table("rows.csv", "a,b,c,d", false, false);
    for (const char* option : {"", "--dry-run"}) {
        std::vector<std::string> arguments{"learn", brain_, data};
        if (*option) arguments.emplace_back(option);
        expect_refused(arguments, {"rows.csv", "column 'd', the last", "numbers with a fraction",
                                   "--label-column d", "--label"});
    }
    const Outcome outcome = run({"learn", brain_, data, "--label-column", "d", "--dry-run"});
    EXPECT_EQ(outcome.code, 0) << "the user may say so: " << outcome.err;
    EXPECT_NE(outcome.err.find("warning: "), std::string::npos) << outcome.err;
    expect_refused({"run", data}, {"rows.csv", "column 'd', the last", "--label-column"});
}

TEST_F(CliData, an_id_is_warned_about_and_can_be_dropped) {
    const std::string data = table("ids.csv", "id,a,b,c,d,kind", true, true);
    Outcome outcome = run({"learn", brain_, data, "--dry-run"});
    EXPECT_NE(outcome.err.find("60 rows, 5 features, 3 classes from column 'kind', the last"),
              std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("column 'id' counts upward"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("--drop id"), std::string::npos) << outcome.err;
    outcome = run({"learn", brain_, data, "--drop", "id", "--label-column", "kind"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find("warning"), std::string::npos) << outcome.err;
    outcome = run({"evaluate", brain_, data, "--drop", "1", "--json"});
    EXPECT_GT(Json::parse(outcome.out)["accuracy"], 0.95) << outcome.err;
    outcome = run({"predict", brain_, data, "--drop", "id,kind"});
    EXPECT_EQ(lines_in(outcome.out), 60u) << outcome.err;
    expect_refused({"predict", brain_, data}, {"5 features"});
    expect_refused({"predict", brain_, data, "--drop", "ident"},
                   {"--drop 'ident'", "no such column", "id, a"});
    expect_refused({"predict", brain_, data, "--drop", "id,"}, {"--drop"});
    outcome = run(with_small_network({"run", data, "--drop", "id", "--learner", "fearnet"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("3 classes from column 'kind', the last"), std::string::npos) << outcome.err;
}

TEST_F(CliData, columns_are_for_tables_only) {
    io::NpzWriter npz;
    npz.add("x", Matrix(2, 3).view());
    io::write_file_atomically(path("a.npz"), npz.finish());
    expect_refused({"learn", brain_, path("a.npz"), "--label", "x", "--drop", "1"}, {"a.npz", "--drop"});
    expect_refused({"run", "thousand", "--label-column", "1"}, {"thousand", "--label-column"});
}

TEST_F(CliData, rows_of_one_feature_are_not_scaled_to_nothing) {
    std::ofstream(path("one.csv")) << "size,label\n1,small\n2,small\n30,large\n31,large\n";
    expect_refused({"run", path("one.csv")}, {"one.csv", "1 feature", "--raw"});
    const Outcome outcome = run({"learn", brain_, path("one.csv")});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("brain.unit_length=false"), std::string::npos) << outcome.err;
    const std::string plain = path("plain.brain");
    ASSERT_EQ(run({"new", plain, "--set", "brain.unit_length=false"}).code, 0);
    ASSERT_EQ(run({"learn", plain, path("one.csv")}).code, 0);
    EXPECT_EQ(Json::parse(run({"evaluate", plain, path("one.csv"), "--json"}).out)["accuracy"], 1.0);
}

TEST_F(CliData, a_bomb_is_refused_before_it_is_unpacked) {
    test::write_npz_bomb(path("bomb.npz"), 4000);
    ASSERT_LT(fs::file_size(path("bomb.npz")), 8'000'000u);
    constexpr long kMax = 400;  // MB; unpacked it is 4,194
    long peak = 0;
    Outcome outcome =
        run_measured({"learn", brain_, path("bomb.npz"), "--label", "zero", "--max-bytes", "500MB"}, peak);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    for (const char* words : {"bomb.npz: x", "65536000 x 16", "8.4 GB", "500.0 MB", "--max-bytes"})
        EXPECT_NE(outcome.err.find(words), std::string::npos) << words << " is not in: " << outcome.err;
    EXPECT_LT(peak, kMax);
    ASSERT_EQ(run({"learn", brain_, table("base.csv", "a,b,c,d,label", false, true)}).code, 0);
    for (const char* command : {"learn", "evaluate"}) {
        outcome = run_measured({command, brain_, path("bomb.npz"), "--label", "zero"}, peak);
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        EXPECT_NE(outcome.err.find("rows have 16 features but 4 are expected"), std::string::npos)
            << outcome.err;
        EXPECT_LT(peak, kMax);
    }
    expect_refused({"learn", brain_, path("bomb.npz"), "--max-bytes", "much"}, {"--max-bytes 'much'"});
}

TEST_F(CliData, too_many_features_are_refused_with_the_memory_they_need) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer needs more addresses than this test gives";
#endif
    Matrix wide(4, 100'000);
    for (std::size_t i = 0; i < wide.size(); ++i) wide.data()[i] = static_cast<float>(i % 97);
    io::NpzWriter npz;
    npz.add("x", wide.view());
    npz.add("y", std::vector<std::string>{"a", "a", "b", "b"});
    io::write_file_atomically(path("wide.npz"), npz.finish());
    const std::string before = slurp(brain_);
    const CommandResult result =
        run_command({"sh", "-c", "ulimit -v 4000000; exec \"$0\" \"$@\"", FEARNET_CLI, "learn", brain_,
                     path("wide.npz"), "--threads", "1"});
    EXPECT_EQ(result.exit_code, 2) << result.output;
    for (const char* words : {"100000 features", "100000 x 100000 numbers takes 40.0 GB", "nearest-mean"})
        EXPECT_NE(result.output.find(words), std::string::npos) << words << " is not in: " << result.output;
    EXPECT_TRUE(slurp(brain_) == before) << "the brain has changed";
}

TEST_F(CliData, a_data_set_that_is_missing_is_not_fetched_by_its_name) {
    ::setenv("FEARNET_CACHE", path("cache").c_str(), 1);
    for (const char* command : {"run", "datasets"})
        expect_refused({command, "languages"}, {"languages", "'fearnet datasets --fetch languages'"});
    ::unsetenv("FEARNET_CACHE");
    EXPECT_FALSE(fs::exists(path("cache")));
    expect_refused({"datasets", "--fetch"}, {"--fetch", "fearnet datasets --fetch languages"});
}

}  // namespace
}  // namespace fearnet::test
