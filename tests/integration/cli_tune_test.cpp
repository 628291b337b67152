// Searching settings with the real program.
#include <regex>

#include "integration/cli_process.hpp"

namespace fearnet::test {
namespace {

class CliTune : public CliTest {
  protected:
    std::vector<std::string> search(const std::string& data) {
        return with_small_network({"tune", data, "--search", "network.dropout=0|0.1|0.2", "--sleep-every",
                                   "2", "--out", trials().string()});
    }
    static std::string without_seconds(const std::string& lines) {
        return std::regex_replace(lines, std::regex("\"seconds\":[0-9.]+"), "");
    }
    fs::path trials() const { return folder_ / "trials.jsonl"; }
};

TEST_F(CliTune, prints_the_best_first_and_goes_on_where_it_was_killed) {
    const std::string data = clouds(12, 12);
    const Outcome whole = run(search(data));
    ASSERT_EQ(whole.code, 0) << whole.err;
    EXPECT_NE(whole.out.find("(no option changed)"), std::string::npos) << whole.out;
    const std::string lines = slurp(trials());
    EXPECT_EQ(lines_in(lines), 1 + 4u);

    // As if killed while the third trial was being written.
    std::ofstream(trials(), std::ios::trunc) << lines.substr(0, lines.size() - 30);
    const Outcome again = run(search(data));
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.out, whole.out);
    EXPECT_EQ(without_seconds(slurp(trials())), without_seconds(lines));
    EXPECT_NE(again.err.find("3 finished trials found in"), std::string::npos) << again.err;
}

TEST_F(CliTune, two_jobs_print_the_same_and_say_where_and_when) {
    const std::string data = clouds(12, 12);
    const Outcome one = run(search(data));
    ASSERT_EQ(one.code, 0) << one.err;
    fs::remove(trials());
    std::vector<std::string> arguments = search(data);
    arguments.insert(arguments.end(), {"--jobs", "2"});
    const Outcome two = run(arguments);
    ASSERT_EQ(two.code, 0) << two.err;
    EXPECT_EQ(two.out, one.out);
    const std::string lines = slurp(trials());
    EXPECT_EQ(lines_in(lines), 1 + 4u);
    for (const char* part : {"\"version\":", "\"date\":", "\"machine\":", "\"seconds\":"})
        EXPECT_NE(lines.find(part), std::string::npos) << part << " in " << lines;
}

TEST_F(CliTune, refuses_bad_searches_and_another_searchs_file) {
    const std::string data = clouds(8, 8);
    const auto refused = [&](std::vector<std::string> arguments, const std::string& told) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
        EXPECT_NE(outcome.err.find(told), std::string::npos) << outcome.err;
    };
    refused({"tune", data, "--search", "nothing.like_it=1"}, "nothing.like_it");
    refused({"tune", data, "--search", "sleep.epochs"}, "sleep.epochs");
    refused({"tune", data, "--search", "sleep.epochs=1||2"}, "empty");
    refused({"tune", data, "--search", "sleep.epochs=1|2", "--set", "sleep.epochs=1"},
            "both fixed and searched");
    refused({"tune", data, "--trials", "0"}, "--trials");
    refused({"tune", data, "--seed", "1,2"}, "--seed");
    refused({"tune", data, "--jobs", "0"}, "--jobs");
    refused({"tune", data, "--jobs", "2", "--threads", "2"}, "--threads");
    refused({"tune", data, "--learner", "nobody"}, "nobody");
    std::ofstream(trials()) << "{\"data\":\"another\"}\n";
    refused(search(data), "another search");
    EXPECT_EQ(slurp(trials()), "{\"data\":\"another\"}\n") << "the other file must not be touched";
}

}  // namespace
}  // namespace fearnet::test
