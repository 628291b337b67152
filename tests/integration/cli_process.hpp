// Runs the real program as a user would.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "fearnet/rng.hpp"

namespace fearnet::test {

namespace fs = std::filesystem;

inline std::string slurp(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

inline std::size_t lines_in(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

inline std::size_t times_said(const std::string& text, const std::string& words) {
    std::size_t times = 0;
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++times;
    return times;
}

// A directory of its own for every test, gone in the end.
class CliTest : public ::testing::Test {
  protected:
    CliTest() {
        folder_ = fs::temp_directory_path() / ("fearnet_cli_" + std::to_string(::getpid()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~CliTest() override { fs::remove_all(folder_); }

    struct Outcome {
        int code = -1;  // -1: killed by a signal
        std::string out;
        std::string err;
    };

    pid_t start(const std::vector<std::string>& arguments) {
        std::vector<char*> argv{const_cast<char*>(FEARNET_CLI)};
        for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
        argv.push_back(nullptr);
        const std::string out = (folder_ / "stdout").string(), err = (folder_ / "stderr").string();
        fs::remove(out);
        fs::remove(err);  // wait_until_said must not read what an earlier program said
        const pid_t child = ::fork();
        if (child != 0) return child;
        ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
        ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
        ::execv(FEARNET_CLI, argv.data());
        ::_exit(127);
    }
    Outcome wait_for(pid_t child) {
        int status = 0;
        ::waitpid(child, &status, 0);
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder_ / "stdout"),
                slurp(folder_ / "stderr")};
    }
    Outcome run(const std::vector<std::string>& arguments) { return wait_for(start(arguments)); }

    // In the test's directory; shell_output() is what it printed.
    int shell(const std::string& command) {
        return std::system(
            ("cd '" + folder_.string() + "' && { " + command + "; } > shell.out 2>&1").c_str());
    }
    std::string shell_output() { return slurp(folder_ / "shell.out"); }
    // The commands that --help lists.
    std::vector<std::string> commands() {
        std::vector<std::string> names;
        std::istringstream bash(run({"completions", "bash"}).out);
        for (std::string line; std::getline(bash, line);)
            if (const std::size_t at = line.find(") options='"); at != line.npos)
                names.push_back(line.substr(8, at - 8));
        return names;
    }

    // False when `done` is still false after four minutes: a test's own limit is five.
    static bool wait_until(const std::function<bool()>& done) {
        for (int i = 0; i < 24000; ++i) {
            if (done()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }
    // Until `text` stands in the program's stderr.
    bool wait_until_said(const std::string& text) {
        return wait_until([&] { return slurp(folder_ / "stderr").find(text) != std::string::npos; });
    }
    // Until the program has a handler for `signal`: Linux lists the handlers as a hexadecimal mask.
    static bool wait_until_handled(pid_t child, int signal) {
        return wait_until([&] {
            const std::string status = slurp("/proc/" + std::to_string(child) + "/status"), key = "SigCgt:";
            const std::size_t at = status.find(key);
            if (at == std::string::npos) return false;
            return ((std::stoull(status.substr(at + key.size()), nullptr, 16) >> (signal - 1)) & 1) != 0;
        });
    }

    // Clouds of points around as many centers; a CSV file the program can learn from in moments.
    std::string clouds(int classes, int rows) {
        constexpr int kFeatures = 6;
        Rng rng(1);
        const fs::path path = folder_ / "clouds.csv";
        std::ofstream file(path);
        for (int j = 0; j < kFeatures; ++j) file << "f" << j << ",";
        file << "label\n";
        for (int c = 0; c < classes; ++c) {
            std::vector<double> center(kFeatures);
            for (double& x : center) x = 3 * rng.normal();
            for (int i = 0; i < rows; ++i) {
                for (const double x : center) file << x + 0.5 * rng.normal() << ",";
                file << "cloud_" << c << "\n";
            }
        }
        return path.string();
    }

    // A CSV file of four classes. A row is ten frames of eight features: all frames are about the same.
    std::string sounds(int rows) {
        constexpr int kFrames = 10, kWidth = 8;
        Rng rng(1);
        const fs::path path = folder_ / "sounds.csv";
        std::ofstream file(path);
        for (int j = 0; j < kFrames * kWidth; ++j) file << "f" << j << ",";
        file << "label\n";
        for (int i = 0; i < rows; ++i) {
            std::vector<double> frame(kWidth);
            for (double& x : frame) x = rng.normal() + i % 4;
            for (int j = 0; j < kFrames * kWidth; ++j)
                file << frame[static_cast<std::size_t>(j % kWidth)] + 0.5 * rng.normal() << ",";
            file << "sound_" << i % 4 << "\n";
        }
        return path.string();
    }

    // Small enough for a test.
    static std::vector<std::string> with_small_network(std::vector<std::string> arguments) {
        for (const char* a :
             {"--set", "network.hidden=12,8", "training.base_epochs=5", "training.offline_epochs=20",
              "training.min_steps=0", "sleep.epochs=5", "sleep.min_steps=0", "amygdala.epochs=2"})
            arguments.emplace_back(a);
        return arguments;
    }

    fs::path folder_;
};

}  // namespace fearnet::test
