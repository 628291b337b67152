// Hostile bytes at every door: what the program prints is safe for a terminal.
#include <nlohmann/json.hpp>

#include "data/io/npz.hpp"
#include "fearnet/error.hpp"
#include "integration/cli_process.hpp"
#include "support/forge.hpp"

namespace fearnet::test {
namespace {

using Json = nlohmann::json;

// Sets a window's title, then DEL, C1, a bidirectional override and a byte that is not UTF-8.
const std::string kHostile = "x\x1b]0;owned\x07\x7f\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xff";
// Each is UTF-8 and refused for one reason.
const std::vector<std::string> kNames{"x\x1b]0;owned\x07", "x\x7f",         "x\xc2\x9b",
                                      "x\xe2\x80\xae",     "x\xe2\x81\xa7", "x\xd8\x9c"};

class CliHostile : public CliTest {
  protected:
    // What came out has no character that a terminal obeys.
    Outcome safe(const std::vector<std::string>& arguments) {
        const Outcome outcome = run(arguments);
        std::string typed;
        for (const std::string& a : arguments) typed += " " + printable(a);
        EXPECT_EQ(printable_lines(outcome.out), outcome.out) << typed;
        EXPECT_EQ(printable_lines(outcome.err), outcome.err) << typed;
        return outcome;
    }
    void refused(const std::vector<std::string>& arguments) {
        const Outcome outcome = safe(arguments);
        EXPECT_EQ(outcome.code, 2) << printable(arguments[0]) << ": " << outcome.out << outcome.err;
        EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
    }
    void taken(const std::vector<std::string>& arguments) {
        const Outcome outcome = safe(arguments);
        EXPECT_EQ(outcome.code, 0) << arguments[0] << ": " << outcome.err;
        if (arguments.back() == "--json") {
            EXPECT_FALSE(Json::parse(outcome.out, nullptr, false).is_discarded()) << outcome.out;
        }
    }
    std::string write(const std::string& name, const std::string& bytes) {
        std::ofstream(folder_ / name, std::ios::binary) << bytes;
        return (folder_ / name).string();
    }
    void make_brain() {
        data_ = clouds(4, 12);
        ASSERT_EQ(run({"new", brain_}).code, 0);
        ASSERT_EQ(run({"learn", brain_, data_}).code, 0);
    }
    std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }

    std::string brain_ = in_folder("a.brain"), data_;
};

TEST_F(CliHostile, arguments_are_quoted_safely) {
    make_brain();
    refused({kHostile});
    refused({"help", kHostile});
    refused({"info", brain_, "--" + kHostile});
    refused({"info", brain_, kHostile});
    for (const char* flag :
         {"--set", "--learner", "--preset", "--features", "--max-memory", "--seed", "--threads"})
        refused({"new", in_folder("b.brain"), flag, kHostile});
    refused({"new", in_folder("b.brain"), "--set", kHostile + "=1"});
    refused({"new", in_folder("b.brain"), "--set", "due.sessions=" + kHostile});
    refused({"info", brain_, "--lock-timeout", kHostile});
    refused({"sleep", brain_, "--time-budget", kHostile});
    refused({"run", data_, "--seeds", kHostile});
    refused({"run", kHostile});
    refused({"paper", kHostile});
    refused({"report", in_folder(kHostile)});
    refused({"datasets", kHostile});
    refused({"options", "--learner", kHostile});
}

TEST_F(CliHostile, names_are_refused_and_quoted_safely) {
    make_brain();
    const std::string before = slurp(brain_);
    for (const std::string& name : kNames) {
        refused({"learn", brain_, data_, "--label", name});
        refused({"rename", brain_, "cloud_0", name});
        refused({"merge", brain_, "cloud_0", name});
        refused({"forget", brain_, name});
        refused({"evaluate", brain_, data_, "--label", name});
        const std::string cells = write("label.csv", "1,2,3,4,5,6,\"" + name + "\"\n1,2,3,4,5,7,y\n");
        refused({"learn", brain_, cells});
        refused({"evaluate", brain_, cells});
        refused({"evaluate", brain_, cells, "--json"});
        taken({"predict", brain_, cells});  // labels do not count
        refused({"run", cells});
    }
    refused({"learn", brain_, data_, "--label", kHostile});
    refused({"learn", brain_, data_, "--label", std::string(257, 'x')});
    EXPECT_TRUE(slurp(brain_) == before) << "the file has changed";
}

TEST_F(CliHostile, data_files_are_quoted_safely) {
    make_brain();
    const std::string quoted = "\"" + kHostile + "\"";
    std::vector<std::string> files{
        write("cell.csv", "1,2,3,4,5,6,a\n1,2," + quoted + ",4,5,7,b\n"),
        write("head.csv", "a,b," + quoted + ",d,e,f,label\n1,2,nan,4,5,6,a\n1,2,3,4,5,7,b\n"),
        write("wide.csv", "1,2,3,4,5,6,7,8,9," + quoted + "\n1,2,3,4,5,6,7,8,9,a\n"),
        write("lines.txt", kHostile + "\n"),
        write(kHostile + ".npy", "\x93NUMPY" + kHostile),
        write("noise.npz", kHostile),
        in_folder("missing" + kHostile + ".csv")};
    io::NpzWriter npz;
    Matrix x(4, 6);
    npz.add(kHostile, MatrixView(x));
    io::write_file_atomically(folder_ / "key.npz", npz.finish());
    files.push_back(in_folder("key.npz"));
    for (const std::string& file : files) {
        refused({"learn", brain_, file});
        refused({"predict", brain_, file});
        refused({"run", file});
    }
    // A file of a hostile name that is good.
    fs::copy_file(data_, folder_ / (kHostile + ".csv"));
    taken({"learn", brain_, in_folder(kHostile + ".csv")});
    taken(with_small_network({"run", in_folder(kHostile + ".csv"), "--out", in_folder("out" + kHostile)}));
}

TEST_F(CliHostile, names_of_files_are_quoted_safely) {
    make_brain();
    const std::string brain = in_folder(kHostile + ".brain"), model = in_folder(kHostile + ".onnx");
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"new", brain},
                                               {"learn", brain, data_},
                                               {"predict", brain, data_},
                                               {"evaluate", brain, data_},
                                               {"sleep", brain},
                                               {"info", brain},
                                               {"check", brain},
                                               {"export", brain, "--onnx", model},
                                               {"copy", brain, brain + "2"},
                                               {"rename", brain, "cloud_0", "mist"}}) {
        taken(arguments);
        if (arguments[0] == "copy" || arguments[0] == "new") fs::remove(arguments.back());
        if (arguments[0] == "rename") taken({"rename", brain, "mist", "cloud_0"});
        std::vector<std::string> json = arguments;
        json.push_back("--json");
        taken(json);
    }
    refused({"new", brain});
    refused({"copy", brain, brain});
    refused({"export", brain, "--onnx", brain});
    refused({"info", write("no" + kHostile, "no brain")});
}

TEST_F(CliHostile, a_forged_brain_prints_nothing_that_a_terminal_obeys) {
    make_brain();
    const std::string whole = slurp(brain_);
    for (const char* sql : {"UPDATE classes SET name = char(120, 27) || ']0;owned' || char(7) WHERE id = 0",
                            "UPDATE classes SET name = char(120, 127) WHERE id = 0",
                            "UPDATE classes SET name = char(120, 0x9b) WHERE id = 0",
                            "UPDATE classes SET name = char(120, 0x202e) WHERE id = 0",
                            "UPDATE classes SET name = CAST(x'78ff' AS TEXT) WHERE id = 0",
                            "UPDATE history SET detail = char(27) || '[2J' WHERE number = 2",
                            "UPDATE history SET time = char(0x9b) WHERE number = 1",
                            "UPDATE texts SET value = char(27, 0x202e)",
                            "INSERT INTO options VALUES (char(27, 0x202e), 'x', 0)",
                            "INSERT INTO texts VALUES (char(27, 0x202e), 'x', 0)"}) {
        write("a.brain", whole);
        test::forge(brain_, sql);
        for (const char* command : {"info", "check", "sleep"}) safe({command, brain_});
        safe({"info", brain_, "--json"});
        safe({"check", brain_, "--json"});
        safe({"predict", brain_, data_, "--top", "4", "--explain"});
        safe({"learn", brain_, data_});
        if (std::string(sql).starts_with("UPDATE")) {
            EXPECT_EQ(run({"predict", brain_, data_}).code, 2) << sql;
            EXPECT_EQ(run({"check", brain_}).code, 2) << sql;
        }
    }
}

}  // namespace
}  // namespace fearnet::test
