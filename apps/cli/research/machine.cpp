#include "research/machine.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <string_view>

#include "commit.hpp"

namespace fearnet::cli {
namespace {

std::string shell_quoted(const std::string& word) {
    constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

}  // namespace

std::string version() {
    constexpr std::string_view kCommit = FEARNET_COMMIT;
    return kCommit.empty() ? FEARNET_VERSION : fmt::format("{} ({})", FEARNET_VERSION, kCommit);
}

std::string utc_now() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

std::string cpu_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "";
}

std::string quoted_command_line(int argc, const char* const* argv) {
    std::string line = "fearnet";
    for (int i = 1; i < argc; ++i) line += " " + shell_quoted(argv[i]);
    return line;
}

}  // namespace fearnet::cli
