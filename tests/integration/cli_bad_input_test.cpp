// Bad input: one clear line on stderr, exit code 2, nothing left behind.
#include "integration/cli_process.hpp"

namespace fearnet::test {
namespace {

class CliBadInput : public CliTest {
  protected:
    // `told` must stand in the message.
    void expect_refused(std::vector<std::string> arguments, const std::string& told) {
        const fs::path out = folder_ / "results";
        const bool runs = !arguments.empty() && arguments[0] == "run";
        const bool has_out = std::find(arguments.begin(), arguments.end(), "--out") != arguments.end();
        if (runs && !has_out) arguments.insert(arguments.end(), {"--out", out.string()});
        std::string typed;
        for (const std::string& a : arguments) typed += " " + a;
        SCOPED_TRACE("fearnet" + typed);
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
        EXPECT_TRUE(outcome.err.starts_with("fearnet: ")) << outcome.err;
        EXPECT_NE(outcome.err.find(told), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_FALSE(fs::exists(out));
    }
    void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
};

TEST_F(CliBadInput, unknown_commands_and_flags_are_refused) {
    expect_refused({"rnu"}, "no command is called 'rnu'; did you mean 'run'?");
    expect_refused({"lern", "a.brain", "x.npz"}, "did you mean 'learn'?");
    expect_refused({"help", "lern"}, "did you mean 'learn'?");
    expect_refused({"learn", "a.brain", "x.npz", "--labl", "owl"},
                   "unexpected argument: --labl; see 'fearnet learn --help'");
    expect_refused({"tune"}, "see 'fearnet tune --help'");
    expect_refused({"new", "a.brain", "--seed", "-1"}, "--seed '-1'");
    expect_refused({"new", "a.brain", "--threads", "0"}, "--threads '0'");
    expect_refused({"--nonsense"}, "--nonsense");
    expect_refused({"run"}, "DATA");
    expect_refused({"run", "x.csv", "y.csv"}, "y.csv");
    expect_refused({"run", "x.csv", "--nonsense"}, "--nonsense");
    expect_refused({"datasets", "no-such-set"}, "no-such-set");
    expect_refused({"options", "--learner", "nobody"}, "nobody");
    expect_refused({"options", "--preset", "nothing"}, "nothing");
}

TEST_F(CliBadInput, absurd_numbers_are_refused) {
    const std::string data = clouds(4, 10);
    for (const char* threads : {"0", "-1", "100000", "two", "99999999999999999999", ""})
        expect_refused({"run", data, "--threads", threads}, "--threads");
    for (const char* seeds : {"", "1,1", "one", "1,", ",", "-1", "1.5", "99999999999999999999"})
        expect_refused({"run", data, "--seeds", seeds}, "--seeds");
    for (const char* classes : {"-2", "many"})
        expect_refused({"run", data, "--base-classes", classes}, "--base-classes");
    for (const char* classes : {"4", "5", "1000"})
        expect_refused({"run", data, "--base-classes", classes}, classes);
    expect_refused({"run", data, "--returning", "0.5", "--withheld", "0.6"}, "together");
    for (const char* every : {"-1", "often"})
        expect_refused({"run", data, "--sleep-every", every}, "--sleep-every");
}

TEST_F(CliBadInput, learners_presets_and_settings_that_do_not_exist_are_refused) {
    const std::string data = clouds(4, 10);
    expect_refused({"run", data, "--learner", "nobody"}, "nobody");
    expect_refused({"run", data, "--learner", "offline-mlp"}, "offline-mlp");
    expect_refused({"run", data, "--preset", "nothing"}, "nothing");
    expect_refused({"run", data, "--set", "no.such.option=1"}, "no.such.option");
    expect_refused({"run", data, "--set", "network.dropout"}, "name=value");
    expect_refused({"run", data, "--set", "network.dropout=7"}, "network.dropout=7");
    expect_refused({"run", data, "--set", "network.dropout=nan"}, "network.dropout=nan");
    expect_refused({"run", data, "--set", "network.dropout="}, "network.dropout");
    expect_refused({"run", data, "--set", "network.dropout=0", "--set", "network.dropout=0"}, "twice");
    expect_refused({"run", data, "--set", "network.hidden=0,0"}, "network.hidden");
}

TEST_F(CliBadInput, results_of_another_run_are_not_replaced) {
    const std::string data = clouds(4, 10),
                      summary = R"({"runs": [{"dataset": "birds", "learner": "fearnet"}]})";
    fs::create_directories(folder_ / "birds");
    write("birds/summary.json", summary);
    expect_refused({"run", data, "--out", path("birds")}, "results of fearnet on birds");
    EXPECT_EQ(slurp(path("birds/summary.json")), summary);
    for (const char* other :
         {"{\"mine\": 1}", "[1", "{\"runs\": 5}", "{\"runs\": [{\"dataset\": 3}]}", "{\"runs\": [{}]}"}) {
        write("birds/summary.json", other);
        expect_refused({"run", data, "--out", path("birds")}, "--out");
    }
}

TEST_F(CliBadInput, files_that_cannot_be_learned_from_are_refused) {
    write("empty.csv", "");
    write("nan.csv", "a,label\n1,x\nnan,x\n2,y\n3,y\n");
    write("one_class.csv", "a,label\n1,x\n2,x\n3,x\n");
    write("ragged.csv", "a,b,label\n1,2,x\n1,y\n");
    write("truncated.npz", std::string("PK\x03\x04\x14\x00", 6));
    write("noise.npz", "this is no zip file");
    for (const char* name : {"empty.csv", "nan.csv", "one_class.csv", "ragged.csv", "truncated.npz",
                             "noise.npz", "missing.npz", "missing.csv"})
        expect_refused({"run", path(name)}, name);
}

TEST_F(CliBadInput, places_that_cannot_be_written_to_are_refused_before_the_work) {
    const std::string data = clouds(4, 10);
    write("file", "");
    for (const std::string& out :
         {path("file"), path("file/below"), std::string("/proc/no"), std::string("")})
        expect_refused({"run", data, "--out", out}, "--out");
}

}  // namespace
}  // namespace fearnet::test
