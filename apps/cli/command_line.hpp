// The arguments of the program and of its commands. command_line.cpp alone includes CLI11, whose header takes
// seconds to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fearnet::cli {

struct CommandDescription;  // description.hpp

// Groups of commands in --help. A command without a group is hidden.
constexpr const char* kEverydayGroup = "Everyday: one brain in one file";
constexpr const char* kResearchGroup = "Research: measure and compare learners";
constexpr const char* kMoreGroup = "More";
constexpr const char* kNoGroup = "";

// An option that was added to a command: refines it. Copies refer to the same option.
class Option {
  public:
    explicit Option(CLI::Option* option) : option_(option) {}

    Option required();
    // What --help calls its value: "FILE".
    Option value_name(const std::string& name);
    // --help shows the value that the variable has now.
    Option show_default();
    // Several occurrences of the flag add up, each with one value.
    Option repeatable();
    Option one_of(const std::vector<std::string>& choices);
    Option between(int low, int high);

  private:
    CLI::Option* option_;
};

// A command of the program. Owned by the Program.
class Command {
  public:
    explicit Command(CLI::App* app) : app_(app) {}

    // "--out" takes a value, "DATA" is positional. The variable must outlive the Program's run(), which sets
    // it if the user gives the option. A vector takes all values that follow.
    Option option(const std::string& name, std::string& value, const std::string& text = "");
    Option option(const std::string& name, std::optional<std::string>& value, const std::string& text = "");
    Option option(const std::string& name, std::vector<std::string>& value, const std::string& text = "");
    Option option(const std::string& name, std::int64_t& value, const std::string& text = "");
    Option option(const std::string& name, std::size_t& value, const std::string& text = "");
    void flag(const std::string& name, bool& value, const std::string& text);
    // Calls `given` if the user gives the flag.
    void flag(const std::string& name, std::function<void()> given, const std::string& text);

    // Text below the options in --help.
    void footer(const std::string& text);
    // What the command does: returns the exit code; throws Error for bad input. `action` owns the variables
    // of the options.
    void run(std::function<int()> action) { action_ = std::move(action); }

  private:
    friend class Program;
    CLI::App* app_;
    std::function<int()> action_;
};

class Program {
  public:
    Program(const std::string& summary, const std::string& version);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    Command& add_command(const std::string& name, const std::string& summary, const char* group);

    // Runs the command that the user chose and returns its exit code. Answers --help, --version, `help
    // COMMAND` and a call without a command itself. `footer` ends the program's --help. Throws Error saying
    // which argument is wrong.
    int run(int argc, const char* const* argv, const std::string& footer);

    // The program, then its commands in the order of --help, without the hidden ones.
    std::vector<CommandDescription> describe() const;

  private:
    std::vector<std::string> command_names() const;
    std::string unknown_command(const std::string& name) const;
    std::string explained(const std::string& problem, bool unexpected) const;
    // False after --help or --version, which it answers.
    bool parse(std::vector<std::string> arguments);

    std::unique_ptr<CLI::App> app_;
    std::vector<std::unique_ptr<Command>> commands_;
};

}  // namespace fearnet::cli
