// fearnet review, and the rows that learn names and leaves out.
#include <nlohmann/json.hpp>

#include "integration/cli_process.hpp"

namespace fearnet::test {
namespace {

using Json = nlohmann::json;

class CliReview : public CliTest {
  protected:
    // Lines of "label,features" of four classes around different corners; `wrong` lines have the next label.
    std::string table(const std::string& name, const std::vector<int>& wrong,
                      const std::vector<int>& left_out, const std::string& prefix = "bird ") {
        Rng rng(3);
        std::ofstream file(folder_ / name);
        file << "label,a,b,c,d,e,f\n";
        for (int i = 0; i < 80; ++i) {
            const int truth = i / 20;
            const bool is_wrong = std::find(wrong.begin(), wrong.end(), i) != wrong.end();
            std::ostringstream line;
            line << prefix << (is_wrong ? (truth + 1) % 4 : truth);
            for (int j = 0; j < 6; ++j) line << "," << (j == truth ? 3 : 0) + 0.3 * rng.normal();
            if (std::find(left_out.begin(), left_out.end(), i) == left_out.end()) file << line.str() << "\n";
        }
        return (folder_ / name).string();
    }
    Json json_of(std::vector<std::string> arguments) {
        arguments.push_back("--json");
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << arguments[0] << ": " << outcome.err;
        return Json::parse(outcome.out, nullptr, false);
    }

    std::string brain_ = (folder_ / "a.brain").string(), other_ = (folder_ / "b.brain").string();
};

TEST_F(CliReview, learn_names_wrong_labels_and_skips_them_if_asked) {
    const std::string dirty = table("dirty.csv", {4, 50}, {}), clean = table("clean.csv", {}, {4, 50});
    ASSERT_EQ(run({"new", brain_}).code, 0);
    ASSERT_EQ(run({"new", other_}).code, 0);
    const Json found = json_of({"review", brain_, dirty});
    EXPECT_EQ(found["rows"], 80);
    ASSERT_EQ(found["suspects"].size(), 2u);
    EXPECT_EQ(found["suspects"][0]["row"], 4);
    EXPECT_EQ(found["suspects"][0]["label"], "bird 1");
    EXPECT_EQ(found["suspects"][0]["looks_like"], "bird 0");
    const Outcome said = run({"review", brain_, dirty});
    EXPECT_NE(said.out.find("row 4, labeled 'bird 1', looks like 'bird 0'"), std::string::npos) << said.out;

    const Json skipped = json_of({"learn", brain_, dirty, "--skip-suspicious"});
    EXPECT_EQ(skipped["examples"], 78);
    EXPECT_EQ(skipped["skipped"], 2);
    ASSERT_EQ(json_of({"learn", other_, clean})["suspects"].size(), 0u);
    EXPECT_EQ(run({"predict", brain_, clean, "--top", "4"}).out,
              run({"predict", other_, clean, "--top", "4"}).out)
        << "as if the rows had not been in the file";
    EXPECT_NE(run({"review", brain_, clean}).out.find("no label of 78 rows looks wrong"), std::string::npos);
}

TEST_F(CliReview, learn_teaches_suspects_unless_told_otherwise) {
    const std::string dirty = table("dirty.csv", {4}, {});
    ASSERT_EQ(run({"new", brain_}).code, 0);
    const Outcome learned = run({"learn", brain_, dirty});
    EXPECT_EQ(learned.code, 0);
    EXPECT_NE(learned.out.find("looks like 'bird 0'; taught anyway, --skip-suspicious leaves"),
              std::string::npos)
        << learned.out;
    EXPECT_EQ(json_of({"info", brain_})["classes"][1]["examples"], 21);
}

TEST_F(CliReview, reports_on_every_class_as_text_json_and_page) {
    const std::string hostile = "<script>alert('x')</script>&\"";
    ASSERT_EQ(run({"new", brain_}).code, 0);
    ASSERT_EQ(run({"learn", brain_, table("clean.csv", {}, {})}).code, 0);
    ASSERT_EQ(run({"rename", brain_, "bird 3", hostile}).code, 0);
    const std::string before = slurp(brain_);
    const Json review = json_of({"review", brain_});
    ASSERT_EQ(review["classes"].size(), 4u);
    EXPECT_EQ(review["classes"][1]["examples"], 20);
    EXPECT_GT(review["classes"][1]["expected_accuracy"], 0.8);
    const std::string text = run({"review", brain_}).out;
    for (const char* word : {"bird 0", "examples", "accuracy", "confused with", "mean"})
        EXPECT_NE(text.find(word), std::string::npos) << text;
    const std::string page_file = (folder_ / "page.html").string();
    ASSERT_EQ(run({"review", brain_, "--out", page_file}).code, 0);
    const std::string page = slurp(page_file);
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_NE(page.find("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"), std::string::npos);
    for (const char* outside : {"http://", "https://", "src=", "@import", "url("})
        EXPECT_EQ(page.find(outside), std::string::npos) << outside;
    EXPECT_EQ(slurp(brain_), before) << "the brain is unchanged";
}

TEST_F(CliReview, says_what_it_cannot_do) {
    const auto refused = [&](const std::vector<std::string>& arguments, const std::string& told) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2) << outcome.out;
        EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
        EXPECT_NE(outcome.err.find(told), std::string::npos) << outcome.err;
    };
    const std::string data = table("clean.csv", {}, {});
    ASSERT_EQ(run({"new", brain_, "--learner", "nearest-mean"}).code, 0);
    refused({"learn", brain_, data, "--skip-suspicious", "--quiet"}, "nearest-mean cannot tell wrong labels");
    refused({"review", brain_, data, "--quiet"}, "fearnet-plus can");
    refused({"review", brain_, "--label", "owl"}, "--label");
    refused({"review", brain_, data, "--out", "page.html"}, "--out");
    ASSERT_EQ(run({"learn", brain_, data}).code, 0);
    EXPECT_NE(run({"review", brain_}).out.find("does not estimate them"), std::string::npos);
    ASSERT_EQ(run({"review", brain_, "--out", (folder_ / "p.html").string()}).code, 0);
    EXPECT_NE(slurp(folder_ / "p.html").find("not available"), std::string::npos);
}

}  // namespace
}  // namespace fearnet::test
