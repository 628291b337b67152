// Completions of commands, options, values and files in bash, zsh and fish.
#include "integration/cli_process.hpp"

namespace fearnet::test {
namespace {

struct Completion {
    std::string line;      // ends where Tab is pressed
    std::string expected;  // matches, sorted, one per line
};

class CliCompletions : public CliTest {
  protected:
    // For the shells that complete file names themselves, in a folder that holds two files.
    static std::vector<Completion> completions() {
        return {{"fearnet pre", "predict\n"},
                {"fearnet --v", "--version\n"},
                {"fearnet predict ", "a.brain\nrows.npy\n"},
                {"fearnet predict a.brain --ex", "--explain\n"},
                {"fearnet predict a.brain --format ", "csv\njsonl\ntsv\n"},
                {"fearnet predict a.brain --out r", "rows.npy\n"},
                {"fearnet predict a.brain --text new --le", ""},
                {"fearnet new a.brain --set seed=1 --set", "--set\n"},
                {"fearnet completions z", "zsh\n"},
                {"fearnet help ren", "rename\n"},
                {"fearnet help predict --ex", ""}};
    }
    std::string write_script(const std::string& shell_name, const std::string& path) {
        fs::create_directories((folder_ / path).parent_path());
        std::ofstream(folder_ / path) << run({"completions", shell_name}).out;
        return (folder_ / path).parent_path().string();
    }
    // Prints what `command` does in a folder with the files a.brain and rows.npy; `fearnet` is the program.
    std::string completed(const std::string& command) {
        EXPECT_EQ(shell("mkdir -p files bin && touch files/a.brain files/rows.npy && ln -sf '" FEARNET_CLI
                        "' bin/fearnet"),
                  0);
        EXPECT_EQ(shell("export PATH=\"$PWD/bin:$PATH\" HOME=\"$PWD\" && cd files && " + command), 0)
            << shell_output();
        return shell_output();
    }
};

TEST_F(CliCompletions, bash_completes_commands_options_and_values) {
    const auto in_bash = [&](const std::string& words, int at) {
        EXPECT_EQ(shell("bash -c 'source <(\"" FEARNET_CLI "\" completions bash); COMP_WORDS=(" + words +
                        "); COMP_CWORD=" + std::to_string(at) + "; _fearnet; echo \"${COMPREPLY[*]}\"'"),
                  0);
        return shell_output();
    };
    EXPECT_EQ(in_bash("fearnet pre", 1), "predict\n");
    EXPECT_EQ(in_bash("fearnet predict a.brain --ex", 3), "--explain\n");
    EXPECT_EQ(in_bash("fearnet predict a.brain --format \"\"", 4), "tsv csv jsonl\n");
    EXPECT_EQ(in_bash("fearnet predict a.brain --out \"\"", 4), "\n") << "files are bash's own";
    EXPECT_EQ(in_bash("fearnet completions z", 2), "zsh\n");
    EXPECT_EQ(in_bash("fearnet help ren", 2), "rename\n");
    EXPECT_EQ(shell("'" FEARNET_CLI "' completions bash | bash -n"), 0) << shell_output();
}

TEST_F(CliCompletions, zsh_completes_commands_options_values_and_files) {
    if (shell("command -v zsh") != 0) GTEST_SKIP() << "no zsh here (Debian: zsh)";
    const std::string folder = write_script("zsh", "site-functions/_fearnet");
    const auto in_zsh = [&](const std::string& line) {
        return completed("zsh -f '" FEARNET_SOURCE_DIR "/tests/integration/complete.zsh' '" + folder + "' '" +
                         line + "'");
    };
    for (const Completion& c : completions()) EXPECT_EQ(in_zsh(c.line), c.expected) << c.line;
    for (const std::string& command : commands())
        if (command != "help") {  // has no options
            EXPECT_EQ(in_zsh("fearnet " + command + " --he"), "--help\n") << command;
        }
}

TEST_F(CliCompletions, fish_completes_commands_options_values_and_files) {
    if (shell("command -v fish") != 0) GTEST_SKIP() << "no fish here (Debian: fish)";
    write_script("fish", "share/fish/vendor_completions.d/fearnet.fish");
    const auto in_fish = [&](const std::string& line) {
        return completed("XDG_DATA_DIRS=\"$HOME/share\" fish -c 'complete -C \"" + line +
                         "\"' | cut -f 1 | LC_ALL=C sort");
    };
    for (const Completion& c : completions()) EXPECT_EQ(in_fish(c.line), c.expected) << c.line;
    for (const std::string& command : commands())
        if (command != "help") {  // has no options
            EXPECT_EQ(in_fish("fearnet " + command + " --he"), "--help\n") << command;
        }
}

}  // namespace
}  // namespace fearnet::test
