// What the program writes goes where it was told, and nowhere else.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <nlohmann/json.hpp>

#include "core/brain/sqlite.hpp"
#include "integration/cli_process.hpp"

namespace fearnet::test {
namespace {

class CliFiles : public CliTest {
  protected:
    void refused(const std::vector<std::string>& arguments) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2) << arguments[0] << ": " << outcome.out;
        EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
    }
    void taken(const std::vector<std::string>& arguments) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << arguments[0] << ": " << outcome.err;
    }
    void make_brain() {
        data_ = clouds(4, 12);
        ASSERT_EQ(run({"new", brain_}).code, 0);
        ASSERT_EQ(run({"learn", brain_, data_}).code, 0);
    }
    std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }

    std::string brain_ = in_folder("a.brain"), data_;
};

TEST_F(CliFiles, an_export_replaces_no_device_pipe_or_link) {
    make_brain();
    std::vector<fs::path> targets{folder_ / "pipe", folder_ / "link", folder_ / "dangling"};
    ASSERT_EQ(::mkfifo(targets[0].c_str(), 0600), 0);
    ASSERT_EQ(run({"export", brain_, "--onnx", in_folder("model.onnx")}).code, 0);
    fs::create_symlink("model.onnx", targets[1]);
    fs::create_symlink("nowhere", targets[2]);
    // /dev/full's own number; making a device takes root.
    if (::mknod((folder_ / "full").c_str(), S_IFCHR | 0600, ::makedev(1, 7)) == 0)
        targets.push_back(folder_ / "full");
    for (const fs::path& target : targets) {
        const fs::file_type type = fs::symlink_status(target).type();
        refused({"export", brain_, "--onnx", target.string()});
        EXPECT_EQ(fs::symlink_status(target).type(), type) << target;
    }
    for (const auto& entry : fs::directory_iterator(folder_))
        EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path();
}

TEST_F(CliFiles, answers_and_pages_replace_no_brain_and_none_of_their_inputs) {
    make_brain();
    const std::string brain = slurp(brain_), data = slurp(data_);
    refused({"predict", brain_, data_, "--out", brain_});
    refused({"review", brain_, "--out", brain_});
    refused({"predict", brain_, data_, "--out", data_});
    EXPECT_TRUE(slurp(brain_) == brain);
    EXPECT_TRUE(slurp(data_) == data);
    taken({"predict", brain_, data_, "--out", in_folder("answers.tsv")});
    taken({"predict", brain_, data_, "--out", in_folder("answers.tsv")});
}

TEST_F(CliFiles, two_processes_that_make_the_same_brain_both_teach_it) {
    const std::string learn =
        std::string(FEARNET_CLI) + " learn " + brain_ + " " + clouds(4, 12) + " --quiet";
    for (int round = 0; round < 5; ++round) {
        fs::remove(brain_);
        ASSERT_EQ(shell(learn + " & first=$!; " + learn + " & second=$!; wait $first && wait $second"), 0)
            << shell_output();
        const nlohmann::json info =
            nlohmann::json::parse(run({"info", brain_, "--json"}).out, nullptr, false);
        std::size_t learned = 0;
        for (const auto& line : info["history"])
            learned += line["action"] == "learn";
        EXPECT_EQ(learned, 2u) << info["history"];
        EXPECT_EQ(run({"check", brain_}).code, 0);
    }
}

TEST_F(CliFiles, an_export_goes_to_standard_output_when_asked) {
    make_brain();
    ASSERT_EQ(run({"export", brain_, "--onnx", in_folder("model.onnx")}).code, 0);
    // "-" first: a program that does not know it would replace /dev/stdout, if root runs this.
    for (const char* name : {"-", "/dev/stdout"}) {
        const Outcome outcome = run({"export", brain_, "--onnx", name});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        ASSERT_TRUE(outcome.out == slurp(in_folder("model.onnx"))) << name;
        EXPECT_EQ(outcome.err, "");
        refused({"export", brain_, "--onnx", name, "--json"});
    }
    EXPECT_FALSE(fs::exists("-"));
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const std::string command =
        std::string(FEARNET_CLI) + " export " + brain_ + " --onnx - >/dev/full 2>" + in_folder("said");
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2);
    EXPECT_NE(slurp(in_folder("said")).find("standard output: cannot write: No space left"),
              std::string::npos)
        << slurp(in_folder("said"));
}

TEST_F(CliFiles, results_and_plots_follow_no_link_out_of_their_folder) {
    const std::string data = clouds(4, 12), out = in_folder("out");
    fs::create_directories(out);
    std::ofstream(folder_ / "mine") << "mine";
    fs::create_symlink(folder_ / "mine", folder_ / "out/accuracy.svg");
    const Outcome outcome = run(with_small_network({"run", data, "--out", out, "--quiet"}));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("accuracy.svg: is a symbolic link"), std::string::npos) << outcome.err;
    EXPECT_EQ(slurp(in_folder("mine")), "mine");
}

TEST_F(CliFiles, a_brain_is_copied_while_another_process_writes_to_it) {
    make_brain();
    const std::string copy = in_folder("copy.brain");
    taken({"copy", brain_, copy});
    refused({"copy", brain_, copy});
    taken({"check", copy});
    EXPECT_EQ(run({"predict", copy, data_}).out, run({"predict", brain_, data_}).out);
    io::Database writer(brain_, io::DatabaseAccess::write, std::chrono::seconds(5));
    const io::Transaction change(writer, true);
    writer.run("UPDATE classes SET name = 'half done'");
    taken({"copy", brain_, in_folder("second.brain"), "--lock-timeout", "0"});
    taken({"check", in_folder("second.brain")});
    refused({"rename", brain_, "cloud_0", "mist", "--lock-timeout", "0"});
    const Outcome outcome = run({"rename", brain_, "cloud_0", "mist", "--lock-timeout", "20ms"});
    EXPECT_NE(outcome.err.find("not done after 0.02 s"), std::string::npos) << outcome.err;
    refused({"check", brain_, "--lock-timeout", "soon"});
}

TEST_F(CliFiles, counts_after_a_merge_agree) {
    make_brain();
    EXPECT_NE(run({"merge", brain_, "cloud_0", "cloud_1"}).out.find("the brain has 3 classes"),
              std::string::npos);
    EXPECT_NE(run({"forget", brain_, "cloud_0"}).err.find("there are 3 classes"), std::string::npos);
    EXPECT_NE(run({"info", brain_}).out.find(", 3 classes, "), std::string::npos);
    const std::string model = run({"export", brain_, "--onnx", "-"}).out;
    EXPECT_NE(model.find(R"(["cloud_1", "cloud_2", "cloud_3"])"), std::string::npos);
}

}  // namespace
}  // namespace fearnet::test
