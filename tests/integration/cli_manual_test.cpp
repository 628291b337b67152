// --help, manual pages and completions say the same; messages are for people.
#include <pty.h>

#include <set>

#include "integration/cli_process.hpp"

namespace fearnet::test {
namespace {

class CliManual : public CliTest {
  protected:
    // "--top" and the like.
    static std::set<std::string> options_in(const std::string& text) {
        std::set<std::string> found;
        for (std::size_t at = text.find("--"); at != text.npos; at = text.find("--", at + 2)) {
            std::size_t end = at + 2;
            while (end < text.size() &&
                   (std::islower(static_cast<unsigned char>(text[end])) || text[end] == '-'))
                ++end;
            if (end > at + 2 && (at == 0 || text[at - 1] == ' ' || text[at - 1] == ','))
                found.insert(text.substr(at, end - at));
        }
        return found;
    }
};

TEST_F(CliManual, every_option_of_help_is_in_the_manual_and_in_the_completions) {
    const std::vector<std::string> all = commands();
    ASSERT_GT(all.size(), 15u);
    const std::string zsh = run({"completions", "zsh"}).out, fish = run({"completions", "fish"}).out,
                      bash = run({"completions", "bash"}).out;
    for (const std::string& command : all) {
        if (command == "help") continue;  // its --help is the program's
        const std::string help = run({command, "--help"}).out;
        std::string page = run({"man", command}).out;
        for (std::size_t at = page.find("\\-"); at != page.npos; at = page.find("\\-", at)) page.erase(at, 1);
        const std::size_t start = bash.find("        " + command + ") options='");
        const std::string mine = bash.substr(start, bash.find('\n', start) - start);
        const std::size_t options = help.find("Options:");
        for (const std::string& option :
             options_in(help.substr(options, help.find("\n\n", options) - options))) {
            EXPECT_NE(page.find("\\fB" + option + "\\fR"), std::string::npos) << command << " " << option;
            EXPECT_NE(mine.find(option), std::string::npos) << command << " " << option;
            EXPECT_NE(zsh.find(option + "["), std::string::npos) << command << " " << option;
            EXPECT_NE(fish.find("command " + command + "' -l " + option.substr(2)), std::string::npos)
                << command << option;
        }
    }
}

TEST_F(CliManual, manual_pages_have_no_warnings) {
    ASSERT_EQ(run({"man", "--out", (folder_ / "man1").string()}).code, 0);
    EXPECT_TRUE(fs::exists(folder_ / "man1" / "fearnet-learn.1"));
    if (shell("command -v groff") != 0) GTEST_SKIP() << "needs groff";
    for (const auto& page : fs::directory_iterator(folder_ / "man1")) {
        EXPECT_EQ(shell("groff -man -Tutf8 -ww '" + page.path().string() + "' 2>&1 > page"), 0);
        EXPECT_EQ(shell_output(), "") << page.path();
    }
    EXPECT_EQ(shell("groff -man -Tascii -P-c man1/fearnet-predict.1"), 0);
    for (const char* words :
         {"--format", "tsv, csv, jsonl", "fearnet predict birds.brain photos.npy --top 3"})
        EXPECT_NE(shell_output().find(words), std::string::npos) << words << "\n" << shell_output();
    EXPECT_EQ(run({"man", "nothing"}).code, 2);
}

TEST_F(CliManual, examples_in_help_are_of_the_command_itself) {
    for (const std::string command :
         {"new", "learn", "predict", "sleep", "info", "evaluate", "discover", "suggest", "forget", "rename",
          "merge", "export", "check", "version", "man", "completions"}) {
        const std::string help = run({command, "--help"}).out;
        const std::size_t examples = help.find("Examples:");
        if (examples == help.npos) continue;
        std::istringstream lines(help.substr(examples));
        for (std::string line; std::getline(lines, line);)
            if (const std::size_t at = line.find("fearnet "); at != line.npos && line.starts_with("  ")) {
                EXPECT_EQ(line.substr(at + 8, command.size()), command) << line;
            }
    }
}

TEST_F(CliManual, errors_name_no_function_of_the_library) {
    const std::string brain = (folder_ / "a.brain").string();
    ASSERT_EQ(run({"new", brain, "--learner", "nearest-mean"}).code, 0);
    ASSERT_EQ(run({"learn", brain, clouds(2, 5)}).code, 0);
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"forget", brain, "owl"},
          {"rename", brain, "owl", "x"},
          {"merge", brain, "cloud_0", "cloud_0"},
          {"learn", brain, clouds(2, 5), "--label", "\x01"},
          {"new", (folder_ / "b.brain").string(), "--learner", "offline-mlp"}}) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2) << arguments[0];
        EXPECT_EQ(outcome.err.find("::"), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.err.find("fearnet: "), 0u) << outcome.err;
    }
    EXPECT_EQ(run({"forget", brain, "owl"}).err.find("fearnet: no class is called 'owl'"), 0u);
}

TEST_F(CliManual, names_are_shown_whole_and_one_is_not_many) {
    const std::string brain = (folder_ / "a.brain").string();
    const std::string name(60, 'n');
    ASSERT_EQ(run({"new", brain}).code, 0);
    ASSERT_EQ(run({"learn", brain, clouds(3, 10)}).code, 0);
    ASSERT_EQ(run({"rename", brain, "cloud_0", name}).code, 0);
    EXPECT_NE(run({"info", brain}).out.find(name + "  "), std::string::npos);
    std::ofstream(folder_ / "one.csv") << "1,2,3,4,5,6\n";
    ASSERT_EQ(run({"learn", brain, (folder_ / "one.csv").string(), "--label", "one"}).code, 0);
    const Outcome slept = run({"sleep", brain});
    EXPECT_NE(slept.out.find("consolidated 1 recent class, deleted 1 example; "), std::string::npos)
        << slept.out;
}

TEST_F(CliManual, quiet_commands_print_nothing_but_answers) {
    const std::string brain = (folder_ / "a.brain").string(), data = clouds(3, 10);
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"new", brain, "--quiet"},
                                                      {"learn", brain, data, "--quiet"},
                                                      {"rename", brain, "cloud_0", "mist", "--quiet"},
                                                      {"sleep", brain, "--quiet"},
                                                      {"forget", brain, "mist", "--quiet"}}) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.out + outcome.err, "") << arguments[0];
    }
    EXPECT_EQ(lines_in(run({"predict", brain, data, "--quiet"}).out), 30u);
}

// What a terminal gets while the program learns.
TEST_F(CliManual, no_escape_sequences_reach_a_terminal_with_NO_COLOR) {
    const auto shown = [&](const char* no_color) {
        const std::string brain = (folder_ / (std::string("b") + no_color + ".brain")).string(),
                          data = clouds(3, 10);
        EXPECT_EQ(run({"new", brain}).code, 0);
        int terminal = -1;
        const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
        if (child == 0) {
            ::setenv("TERM", "xterm", 1), ::setenv("NO_COLOR", no_color, 1);
            ::execl(FEARNET_CLI, FEARNET_CLI, "learn", brain.c_str(), data.c_str(), nullptr);
            ::_exit(127);
        }
        std::string text;
        char buffer[4096];
        for (ssize_t n = 0; (n = ::read(terminal, buffer, sizeof buffer)) > 0;)
            text.append(buffer, static_cast<std::size_t>(n));
        int status = 0;
        ::waitpid(child, &status, 0);
        ::close(terminal);
        EXPECT_EQ(status, 0) << text;
        return text;
    };
    EXPECT_NE(shown("").find('\x1b'), std::string::npos) << "a bar";
    EXPECT_EQ(shown("1").find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace fearnet::test
