// The everyday commands, as a user types them.
#include <nlohmann/json.hpp>

#include "integration/cli_process.hpp"

namespace fearnet::test {
namespace {

using Json = nlohmann::json;

class CliBrain : public CliTest {
  protected:
    std::vector<std::string> new_brain() const {
        std::vector<std::string> arguments{"new", brain_, "--learner", "fearnet"};
        for (const char* a :
             {"network.hidden=12,8", "training.batch=32", "training.base_epochs=100", "training.min_steps=0",
              "sleep.epochs=10", "sleep.min_steps=0", "amygdala.epochs=60", "statistics.refresh_samples=30"})
            arguments.insert(arguments.end(), {"--set", a});
        return arguments;
    }
    // What a user does, with a brain that is made so.
    void live_through_a_day(const std::vector<std::string>& made);
    Json json_of(std::vector<std::string> arguments) {
        arguments.push_back("--json");
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << arguments[0] << ": " << outcome.err;
        const Json j = Json::parse(outcome.out, nullptr, false);
        EXPECT_FALSE(j.is_discarded()) << outcome.out;
        return j;
    }
    void expect_refused(const std::vector<std::string>& arguments, const std::string& told) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2) << arguments[0] << ": " << outcome.out;
        EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
        EXPECT_NE(outcome.err.find(told), std::string::npos) << outcome.err;
    }
    std::string rows_of(const std::string& name, double at, int rows = 20) {
        Rng rng(5);
        std::ofstream file(folder_ / name);
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < 6; ++j) file << (j ? "," : "") << (j % 2 ? at : -at) + 0.1 * rng.normal();
            file << "\n";
        }
        return (folder_ / name).string();
    }

    std::string brain_ = (folder_ / "a.brain").string();
};

void CliBrain::live_through_a_day(const std::vector<std::string>& made) {
    const std::string data = clouds(4, 30), owls = rows_of("owls.csv", 2);
    ASSERT_EQ(run(made).code, 0);
    Json learned = json_of({"learn", brain_, data});
    EXPECT_EQ(learned["new_classes"].size(), 4u);
    EXPECT_EQ(learned["examples"], 120);
    // Without labels of its own: as many columns as the brain's rows have.
    learned = json_of({"learn", brain_, owls, "--label", "owl"});
    EXPECT_EQ(learned["new_classes"], Json::array({"owl"}));
    EXPECT_EQ(learned["slept"], false);
    const Json answers = json_of({"predict", brain_, owls, "--top", "2", "--explain"});
    ASSERT_EQ(answers.size(), 20u);
    EXPECT_EQ(answers[0]["label"], "owl");
    EXPECT_EQ(answers[0]["classes"].size(), 2u);
    const Json& why = answers[0]["explanation"];
    if (json_of({"info", brain_})["learner"] == "fearnet") {
        EXPECT_EQ(why["memory"], "recent");
        EXPECT_GT(why["psi"], why["consolidated_probability"]);
    } else {
        EXPECT_TRUE(why.is_null());
    }
    EXPECT_EQ(json_of({"evaluate", brain_, owls, "--label", "owl"})["accuracy"], 1.0);
    EXPECT_GT(json_of({"evaluate", brain_, data})["mean_class_accuracy"], 0.7);
    Json info = json_of({"info", brain_});
    EXPECT_EQ(info["classes"].size(), 5u);
    EXPECT_EQ(info["classes"][4]["label"], "owl");
    EXPECT_EQ(info["classes"][4]["recent"], true);
    EXPECT_EQ(json_of({"sleep", brain_})["slept"], true);
    EXPECT_EQ(json_of({"sleep", brain_})["slept"], false);
    info = json_of({"info", brain_});
    EXPECT_EQ(info["memory_bytes"]["examples"], 0);
    EXPECT_EQ(info["classes"][4]["consolidated"], true);
    const bool estimates = info["learner"] == "fearnet-plus";
    for (const Json& c : info["classes"]) {
        EXPECT_EQ(c.contains("expected_accuracy"), estimates);
        if (estimates) {
            EXPECT_GT(c["expected_accuracy"], 0.5) << c["label"];
        }
    }
    EXPECT_EQ(run({"info", brain_}).out.find("expected accuracy") != std::string::npos, estimates);
    EXPECT_EQ(info["history"].size(), 4u);
    EXPECT_EQ(json_of({"check", brain_})["intact"], true);
    const std::string model = (folder_ / "a.onnx").string();
    EXPECT_EQ(json_of({"export", brain_, "--onnx", model})["left_out"], Json::array());
    EXPECT_NE(slurp(model).find("owl"), std::string::npos) << "names are in the model";
    for (const char* command : {"info", "check"}) EXPECT_EQ(run({command, brain_}).code, 0);
    EXPECT_NE(run({"predict", brain_, owls}).out.find("0\towl\t"), std::string::npos);
}

TEST_F(CliBrain, learn_names_the_option_for_rows_of_frames_and_leaves_the_brain_as_it_was_made) {
    const std::string data = sounds(80), advice = "10 frames of 8 features";
    ASSERT_EQ(run({"new", brain_, "--set", "features.random=64"}).code, 0);
    const Outcome dry = run({"learn", brain_, data, "--dry-run"});
    EXPECT_NE(dry.err.find(advice), std::string::npos) << dry.err;
    EXPECT_NE(dry.err.find("--set features.frames=10"), std::string::npos) << dry.err;
    EXPECT_EQ(run({"learn", brain_, data, "--dry-run", "--quiet"}).err, "");
    EXPECT_NE(run({"learn", brain_, data}).err.find(advice), std::string::npos);
    EXPECT_EQ(json_of({"info", brain_})["options"]["features.frames"], "1");
    EXPECT_EQ(run({"learn", brain_, data}).err.find(advice), std::string::npos) << "not its first session";

    brain_ = (folder_ / "framed.brain").string();
    ASSERT_EQ(run({"new", brain_, "--set", "features.random=64", "--set", "features.frames=10"}).code, 0);
    EXPECT_EQ(run({"learn", brain_, data}).err.find(advice), std::string::npos);
    EXPECT_EQ(json_of({"info", brain_})["options"]["features.frames"], "10");
}

TEST_F(CliBrain, a_brain_is_made_taught_asked_put_to_sleep_and_looked_at) {
    live_through_a_day({"new", brain_});
}

TEST_F(CliBrain, so_is_one_that_learns_as_in_the_paper) {
    live_through_a_day(new_brain());
}

TEST_F(CliBrain, sleep_comes_by_itself_when_it_is_due_and_wanted) {
    std::vector<std::string> arguments = new_brain();
    arguments.insert(arguments.end(), {"--set", "due.sessions=2"});
    ASSERT_EQ(run(arguments).code, 0);
    ASSERT_EQ(run({"learn", brain_, clouds(3, 20)}).code, 0);
    EXPECT_EQ(json_of({"learn", brain_, rows_of("a.csv", 2), "--label", "a", "--auto-sleep"})["slept"],
              false);
    EXPECT_EQ(json_of({"learn", brain_, rows_of("b.csv", 1), "--label", "b", "--auto-sleep"})["slept"], true);
    ASSERT_EQ(run({"learn", brain_, rows_of("c.csv", 3), "--label", "c"}).code, 0);
    const Outcome outcome = run({"learn", brain_, rows_of("d.csv", 4), "--label", "d"});
    EXPECT_NE(outcome.out.find("sleep is due"), std::string::npos) << outcome.out;
}

TEST_F(CliBrain, classes_are_renamed_merged_and_forgotten) {
    ASSERT_EQ(run(new_brain()).code, 0);
    ASSERT_EQ(run({"learn", brain_, clouds(4, 20)}).code, 0);
    EXPECT_EQ(json_of({"rename", brain_, "cloud_0", "mist"})["classes"].size(), 4u);
    EXPECT_EQ(json_of({"merge", brain_, "cloud_1", "cloud_2"})["classes"].size(), 3u);
    EXPECT_EQ(json_of({"forget", brain_, "cloud_3"})["classes"], Json::array({"cloud_2", "mist"}));
    expect_refused({"forget", brain_, "nobody"}, "nobody");
    expect_refused({"rename", brain_, "mist", "cloud_2"}, "merge");
    EXPECT_EQ(json_of({"check", brain_})["intact"], true);
}

TEST_F(CliBrain, a_brain_of_text_learns_lines_and_answers_texts) {
    std::vector<std::string> arguments = new_brain();
    arguments.insert(arguments.end(), {"--features", "text:ngrams"});
    ASSERT_EQ(run(arguments).code, 0);
    std::ofstream(folder_ / "base.txt")
        << "en\tthe cat is on the mat\nen\twhere is the other house\n\nen\tthis is that\n"
        << "de\tdie Katze ist auf der Matte\nde\two ist das andere Haus\nde\tdas ist es\n";
    std::ofstream(folder_ / "fr.txt") << "le chat est sur la table\nou est la maison\nla rue est grande\n";
    ASSERT_EQ(run({"learn", brain_, (folder_ / "base.txt").string()}).code, 0);
    ASSERT_EQ(run({"learn", brain_, (folder_ / "fr.txt").string(), "--label", "fr"}).code, 0);
    EXPECT_EQ(json_of({"predict", brain_, "--text", "le chat est grand"})[0]["label"], "fr");
    expect_refused({"predict", brain_}, "--text");
    expect_refused({"learn", brain_, (folder_ / "fr.txt").string()}, "--label");
    std::ofstream(folder_ / "mixed.txt") << "a\tb\nc\n";
    expect_refused({"learn", brain_, (folder_ / "mixed.txt").string()}, "line 2");
}

TEST_F(CliBrain, bad_input_is_one_clear_line_and_changes_nothing) {
    ASSERT_EQ(run(new_brain()).code, 0);
    ASSERT_EQ(run({"learn", brain_, clouds(3, 20)}).code, 0);
    const std::string before = slurp(brain_);
    const std::string rows = rows_of("a.csv", 2);
    std::ofstream(folder_ / "narrow.csv") << "1,2,x\n3,4,x\n";
    std::ofstream(folder_ / "text.txt") << "hello\n";
    expect_refused(new_brain(), "exists already");
    expect_refused({"new", (folder_ / "b").string(), "--set", "no.such=1"}, "no.such");
    expect_refused({"new", (folder_ / "b").string(), "--set", "due.sessions=-1"}, "due.sessions");
    expect_refused({"new", (folder_ / "b").string(), "--features", "smells"}, "smells");
    expect_refused({"new", (folder_ / "b").string(), "--max-memory", "much"}, "--max-memory");
    expect_refused({"new", (folder_ / "b").string(), "--learner", "offline-mlp"}, "offline-mlp");
    expect_refused({"learn", brain_, rows}, "--label");
    expect_refused({"learn", brain_, (folder_ / "narrow.csv").string()}, "2 features");
    expect_refused({"learn", brain_, (folder_ / "text.txt").string(), "--label", "x"}, "text:ngrams");
    expect_refused({"learn", brain_, "no-such.npz"}, "no-such.npz");
    expect_refused({"predict", (folder_ / "none.brain").string(), rows}, "none.brain");
    expect_refused({"learn", rows, rows}, "not a brain file");
    expect_refused({"predict", brain_, rows, "--top", "0"}, "--top");
    expect_refused({"predict", brain_, "--text", "hello"}, "text:ngrams");
    expect_refused({"predict", brain_, rows, "--text", "hello"}, "one of them");
    expect_refused({"evaluate", brain_, rows}, "labels");
    expect_refused({"sleep", brain_, "--epochs", "0"}, "--epochs");
    expect_refused({"sleep", brain_, "--time-budget", "soon"}, "--time-budget");
    expect_refused({"check", rows}, "not a brain file");
    expect_refused({"export", brain_, "--onnx", (folder_ / "no/folder/x.onnx").string()}, "no/folder");
    expect_refused({"export", brain_}, "--onnx");
    EXPECT_TRUE(slurp(brain_) == before) << "the file has changed";
    EXPECT_FALSE(fs::exists(folder_ / "b"));
    std::string damaged = before;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    std::ofstream(brain_) << damaged.substr(0, damaged.size() - 9000);
    EXPECT_EQ(run({"check", brain_}).code, 2);
    EXPECT_EQ(run({"predict", brain_, rows}).code, 2);
}

TEST_F(CliBrain, rows_without_labels_make_a_base_too_when_a_label_is_given) {
    const std::string owls = rows_of("owls.csv", 2), jays = rows_of("jays.csv", -2);
    ASSERT_EQ(run({"new", brain_}).code, 0);
    json_of({"learn", brain_, owls, "--label", "owl"});
    EXPECT_EQ(json_of({"info", brain_})["width"], 6) << "no column was taken for labels";
    json_of({"learn", brain_, jays, "--label", "jay"});
    EXPECT_EQ(json_of({"evaluate", brain_, jays, "--label", "jay"})["accuracy"], 1.0);
}

TEST_F(CliBrain, what_is_not_finite_is_named_where_it_stands) {
    ASSERT_EQ(run({"new", brain_}).code, 0);
    json_of({"learn", brain_, clouds(4, 30)});
    std::ofstream(folder_ / "nan.csv") << "1,2,3,4,5,6,owl\n1,2,nan,4,5,6,owl\n";
    expect_refused({"learn", brain_, (folder_ / "nan.csv").string()}, "nan.csv, line 2: column 3");
    std::ofstream(folder_ / "inf.csv") << "1,2,3,4,5,1e60,owl\n";
    expect_refused({"predict", brain_, (folder_ / "inf.csv").string()}, "inf.csv, line 1: column 6");
}

TEST_F(CliBrain, an_export_replaces_models_but_no_other_file) {
    ASSERT_EQ(run({"new", brain_}).code, 0);
    json_of({"learn", brain_, clouds(4, 30)});
    const std::string model = (folder_ / "a.onnx").string();
    for (int again = 0; again < 2; ++again) json_of({"export", brain_, "--onnx", model});
    expect_refused({"export", brain_, "--onnx", brain_}, "is a brain");
    EXPECT_EQ(json_of({"check", brain_})["intact"], true);
}

TEST_F(CliBrain, an_evaluation_says_which_classes_were_never_taught) {
    ASSERT_EQ(run({"new", brain_}).code, 0);
    json_of({"learn", brain_, clouds(4, 30)});
    const std::string owls = rows_of("owls.csv", 2);
    EXPECT_EQ(json_of({"evaluate", brain_, owls, "--label", "owl"})["never_taught"], Json::array({"owl"}));
    EXPECT_NE(run({"evaluate", brain_, owls, "--label", "owl"})
                  .out.find("never taught, counted as wrong: 1 class (owl)"),
              std::string::npos);
}

TEST_F(CliBrain, ctrl_c_in_sleep_leaves_the_brain_as_it_was) {
    std::vector<std::string> arguments = new_brain();
    ASSERT_EQ(run(arguments).code, 0);
    ASSERT_EQ(run({"learn", brain_, clouds(4, 30)}).code, 0);
    ASSERT_EQ(run({"learn", brain_, rows_of("a.csv", 2), "--label", "a"}).code, 0);
    const std::string before = slurp(brain_);
    const pid_t child = start({"sleep", brain_, "--epochs", "100000"});
    ASSERT_TRUE(wait_until_handled(child, SIGINT));
    ::kill(child, SIGINT);
    EXPECT_EQ(wait_for(child).code, 130);
    EXPECT_TRUE(slurp(brain_) == before) << "the file has changed";
}

}  // namespace
}  // namespace fearnet::test
