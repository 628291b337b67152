// Asking a brain about more than fits into memory, through pipes and into files.
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "data/io/npy.hpp"
#include "integration/cli_process.hpp"

namespace fearnet::test {
namespace {

using Json = nlohmann::json;

class CliPredict : public CliTest {
  protected:
    // A brain of nearest means, which is taught in moments.
    void make_brain(int classes, int rows = 2, const std::string& learner = "nearest-mean") {
        ASSERT_EQ(run({"new", brain_, "--learner", learner}).code, 0);
        const Outcome learned = run({"learn", brain_, clouds(classes, rows), "--quiet"});
        ASSERT_EQ(learned.code, 0) << learned.err;
    }
    std::string npy(const std::string& name, std::size_t rows) {
        Matrix x(rows, 6);
        Rng rng(3);
        for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(3 * rng.normal());
        const io::Bytes bytes = io::npy_from(x);
        std::ofstream(folder_ / name, std::ios::binary) << io::as_text(bytes);
        return (folder_ / name).string();
    }
    Outcome run_with_input(std::vector<std::string> arguments, const std::string& file) {
        const int saved = ::dup(STDIN_FILENO), input = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        ::dup2(input, STDIN_FILENO);
        const Outcome outcome = run(arguments);
        ::dup2(saved, STDIN_FILENO);
        ::close(saved), ::close(input);
        return outcome;
    }

    std::string brain_ = (folder_ / "a.brain").string();
};

// 40000 x 1500 probabilities are 240 MB, for the learner and once more by name.
TEST_F(CliPredict, memory_does_not_grow_with_the_number_of_rows) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer takes more memory than the program";
#endif
    make_brain(1500);
    const std::string data = npy("many.npy", 40000);
    const pid_t child = start({"predict", brain_, data, "--threads", "1"});
    int status = 0;
    rusage used{};
    ::wait4(child, &status, 0, &used);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(lines_in(slurp(folder_ / "stdout")), 40000u);
    EXPECT_LT(used.ru_maxrss, 250 * 1024) << "kB";
}

// 8000 x 8000 scores are 256 MB.
TEST_F(CliPredict, memory_does_not_grow_with_the_square_of_the_number_of_classes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer takes more memory than the program";
#endif
    make_brain(8000);
    const pid_t child = start({"predict", brain_, npy("one.npy", 1), "--threads", "1"});
    int status = 0;
    rusage used{};
    ::wait4(child, &status, 0, &used);
    EXPECT_EQ(status, 0);
    EXPECT_LT(used.ru_maxrss, 150 * 1024) << "kB";
}

TEST_F(CliPredict, answers_come_before_the_input_has_ended) {
    make_brain(3, 20);
    int in[2], out[2];
    ASSERT_EQ(::pipe2(in, O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(out, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(in[0], STDIN_FILENO), ::dup2(out[1], STDOUT_FILENO);
        ::execl(FEARNET_CLI, FEARNET_CLI, "predict", brain_.c_str(), "-", nullptr);
        ::_exit(127);
    }
    ::close(in[0]), ::close(out[1]);
    const auto write_rows = [&](const std::string& rows) {
        ASSERT_EQ(::write(in[1], rows.data(), rows.size()), static_cast<ssize_t>(rows.size()));
    };
    std::string answers;
    const auto read_until = [&](std::size_t lines) {
        char buffer[4096];
        while (lines_in(answers) < lines) {
            const ssize_t n = ::read(out[0], buffer, sizeof buffer);
            ASSERT_GT(n, 0) << answers;
            answers.append(buffer, static_cast<std::size_t>(n));
        }
    };
    write_rows("1,2,3,4,5,6\n6,5,4,3,2,1\n0,0,");
    read_until(2);
    EXPECT_EQ(lines_in(answers), 2u);
    write_rows("0,0,0,0\n1,1,1,1,1,1");
    read_until(3);
    ::close(in[1]);
    read_until(4);
    ::close(out[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST_F(CliPredict, standard_input_is_csv_npy_or_text_and_gives_what_the_file_gives) {
    make_brain(4, 10);
    const std::string data = npy("rows.npy", 3000), csv = clouds(4, 10);
    for (const std::string& file : {data, csv}) {
        const Outcome from_file = run({"predict", brain_, file}),
                      piped = run_with_input({"predict", brain_, "-"}, file);
        EXPECT_EQ(piped.code, 0) << piped.err;
        EXPECT_EQ(piped.out, from_file.out) << file;
    }
    EXPECT_NE(run_with_input({"evaluate", brain_, "-"}, csv).out.find("accuracy"), std::string::npos);
    const std::string other = (folder_ / "b.brain").string();
    ASSERT_EQ(run({"new", other, "--learner", "nearest-mean"}).code, 0);
    EXPECT_EQ(run_with_input({"learn", other, "-"}, csv).code, 0);
    EXPECT_EQ(run({"predict", other, data}).out, run({"predict", brain_, data}).out);

    const std::string words = (folder_ / "c.brain").string();
    ASSERT_EQ(run({"new", words, "--learner", "nearest-mean", "--features", "text:ngrams"}).code, 0);
    std::ofstream(folder_ / "lines.txt") << "en\tthe cat is on the mat\nde\tdie Katze ist auf der Matte\n";
    const std::string lines = (folder_ / "lines.txt").string();
    ASSERT_EQ(run_with_input({"learn", words, "-"}, lines).code, 0);
    const Outcome texts = run_with_input({"predict", words, "-"}, lines);
    EXPECT_EQ(texts.out.substr(0, 5), "0\ten\t") << texts.err;
    EXPECT_EQ(texts.out, run({"predict", words, lines}).out);
}

TEST_F(CliPredict, answers_are_written_as_tsv_csv_or_json_that_say_the_same) {
    make_brain(4, 10, "fearnet-plus");
    ASSERT_EQ(run({"rename", brain_, "cloud_0", "mist, \"thick\""}).code, 0);
    const std::string csv = clouds(4, 10);
    const auto answers = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"predict", brain_, csv, "--top", "2"});
        const Outcome outcome = run(more);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.out;
    };
    const Json json = Json::parse(answers({"--json"}));
    ASSERT_EQ(json.size(), 40u);
    std::istringstream tsv(answers({"--format", "tsv"})), csvs(answers({"--format", "csv"})),
        jsonl(answers({"--format", "jsonl"}));
    std::string line;
    std::getline(csvs, line);
    EXPECT_EQ(line, "row,label,probability,label_2,probability_2,familiarity");
    for (std::size_t i = 0; i < 40; ++i) {
        std::getline(jsonl, line);
        EXPECT_EQ(Json::parse(line), json[i]);
        std::getline(tsv, line);
        const std::string label = json[i]["label"];
        const bool unknown = json[i]["unknown"];
        EXPECT_EQ(unknown, json[i]["familiarity"].get<double>() < 0.01);
        EXPECT_EQ(line.find(std::to_string(i) + "\t" + (unknown ? "unknown" : label) + "\t"), 0u) << line;
        std::getline(csvs, line);
        const std::string quoted = label == "mist, \"thick\"" ? "\"mist, \"\"thick\"\"\"" : label;
        const std::string shown = unknown ? "unknown" : quoted;
        EXPECT_EQ(line.find(std::to_string(i) + "," + shown + ","), 0u) << line;
    }
    EXPECT_NE(answers({"--format", "csv", "--explain"}).find(",memory,"), std::string::npos);
    EXPECT_EQ(run({"predict", brain_, csv, "--format", "xml"}).code, 2);
    EXPECT_EQ(run({"predict", brain_, csv, "--format", "csv", "--json"}).code, 2);
}

TEST_F(CliPredict, rows_unlike_any_class_are_unknown_and_sets_name_the_classes_that_fit) {
    make_brain(4, 30, "fearnet-plus");
    const std::string strange = (folder_ / "strange.csv").string();
    std::ofstream(strange) << "-9,40,-3,70,-20,8\n";
    const Outcome far = run({"predict", brain_, strange, "--unknown", "5%"});
    ASSERT_EQ(far.code, 0) << far.err;
    EXPECT_EQ(far.out.find("0\tunknown\t0.0"), 0u) << far.out;
    EXPECT_EQ(run({"predict", brain_, strange, "--unknown", "0"}).out.find("unknown"), std::string::npos);
    EXPECT_EQ(run({"predict", brain_, strange, "--confidence", "90%"}).out.find("0\tunknown"), 0u);
    const Outcome sets = run({"predict", brain_, clouds(4, 30), "--confidence", "0.9", "--format", "csv"});
    ASSERT_EQ(sets.code, 0) << sets.err;
    EXPECT_EQ(sets.out.find("row,label,probability,familiarity,set\n"), 0u);
    EXPECT_NE(sets.out.find("[\"\"cloud_2\"\"]"), std::string::npos) << sets.out;
    for (const char* bad : {"-1", "60%", "x", "", "1e99", "nan"})
        EXPECT_EQ(run({"predict", brain_, strange, "--unknown", bad}).code, bad[0] == 0 ? 0 : 2) << bad;
    EXPECT_EQ(run({"predict", brain_, strange, "--confidence", "20%"}).code, 2);
}

TEST_F(CliPredict, the_share_of_unknown_rows_is_an_option_of_a_brain) {
    const std::string none = (folder_ / "none.brain").string(), csv = clouds(4, 30);
    const std::string strange = (folder_ / "strange.csv").string();
    std::ofstream(strange) << "-9,40,-3,70,-20,8\n";
    ASSERT_EQ(run({"new", none, "--set", "open.unknown=0"}).code, 0);
    ASSERT_EQ(run({"learn", none, csv}).code, 0);
    EXPECT_EQ(run({"predict", none, strange}).out.find("unknown"), std::string::npos);
    const Outcome refused = run({"new", none + "2", "--set", "open.unknown=0.6"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("open.unknown"), std::string::npos) << refused.err;
}

TEST_F(CliPredict, tracked_rows_show_in_info_when_a_class_has_changed) {
    Rng rng(8);
    const auto rows = [&](const std::string& name, double owl) {
        const std::string file = (folder_ / name).string();
        std::ofstream out(file);
        for (int i = 0; i < 80; ++i) {
            const bool is_owl = i % 2 == 0;
            out << (is_owl ? owl : 4) + rng.normal() << "," << (is_owl ? 4 : 0) + rng.normal() << ","
                << 9 + rng.normal() << "," << (is_owl ? "owl" : "wren") << "\n";
        }
        return file;
    };
    const std::string brain = (folder_ / "birds.brain").string();
    ASSERT_EQ(run({"new", brain}).code, 0);
    ASSERT_EQ(run({"learn", brain, rows("base.csv", 0)}).code, 0);
    const std::string before = slurp(brain);
    const std::string same = rows("same.csv", 0), moved = rows("moved.csv", 1);
    const std::string plain = run({"predict", brain, same}).out;
    EXPECT_EQ(slurp(brain), before) << "predict alone writes nothing";
    EXPECT_EQ(run({"predict", brain, same, "--track"}).out, plain);
    EXPECT_EQ(run({"info", brain}).out.find("less familiar"), std::string::npos);
    for (int day = 0; day < 8; ++day)
        ASSERT_EQ(run({"predict", brain, moved, "--track", "--out", (folder_ / "o").string()}).code, 0);
    const Outcome info = run({"info", brain});
    EXPECT_NE(info.out.find("examples of 'owl' since 20"), std::string::npos) << info.out;
    EXPECT_NE(info.out.find("teach it again"), std::string::npos) << info.out;
    EXPECT_EQ(info.out.find("'wren' since"), std::string::npos) << info.out;
    const auto json = nlohmann::json::parse(run({"info", brain, "--json"}).out);
    EXPECT_TRUE(json["classes"][0]["predicted"]["changed"]);
    EXPECT_LT(json["classes"][0]["predicted"]["p_value"], 0.005);
    EXPECT_FALSE(json["classes"][1]["predicted"]["changed"]);
    EXPECT_FALSE(json["classes"][1].contains("taught_again"));
    EXPECT_EQ(run({"check", brain}).code, 0);
    ASSERT_EQ(run({"learn", brain, moved}).code, 0);
    EXPECT_EQ(run({"info", brain}).out.find("teach it again"), std::string::npos);
    EXPECT_EQ(run({"predict", brain, same, "--track", "--top", "0"}).code, 2);
    const std::string fresh = (folder_ / "fresh.brain").string(), one = (folder_ / "one.csv").string();
    std::ofstream(one) << "1,2,3,a\n3,2,1,b\n";
    ASSERT_EQ(run({"new", fresh}).code, 0);
    ASSERT_EQ(run({"learn", fresh, one}).code, 0);
    const Outcome refused = run({"predict", fresh, one, "--track"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(refused.err.find("--track: the learner fearnet-plus does not"), std::string::npos)
        << refused.err;
}

TEST_F(CliPredict, a_file_of_answers_appears_when_it_is_whole_and_replaces_only_regular_files) {
    make_brain(3, 10);
    const std::string csv = clouds(3, 10), out = (folder_ / "answers").string();
    const std::string expected = run({"predict", brain_, csv}).out;
    for (const char* name : {"-", "/dev/stdout"})
        EXPECT_EQ(run({"predict", brain_, csv, "--out", name}).out, expected);
    for (int i = 0; i < 2; ++i) {
        const Outcome outcome = run({"predict", brain_, csv, "--out", out});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(slurp(out), expected);
    }
    // A row in the last block is not finite: the file stays as it was, and nothing is left beside it.
    std::ofstream(folder_ / "bad.csv") << slurp(csv) << "1,2,nan,4,5,6,x\n";
    EXPECT_EQ(run({"predict", brain_, (folder_ / "bad.csv").string(), "--out", out}).code, 2);
    EXPECT_EQ(slurp(out), expected);
    const std::string link = (folder_ / "link").string();
    fs::create_symlink(out, link);
    for (const std::string& odd : {std::string("/dev/null"), folder_.string(), link})
        EXPECT_EQ(run({"predict", brain_, csv, "--out", odd}).code, 2) << odd;
    EXPECT_TRUE(fs::is_symlink(link));
    for (const auto& entry : fs::directory_iterator(folder_))
        EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace fearnet::test
