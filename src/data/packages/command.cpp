#include "data/packages/command.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>

#include "fearnet/error.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kKeptOutput = 64 * 1024;

struct Pipe {
    int ends[2] = {-1, -1};
    Pipe() {
        if (::pipe2(ends, O_CLOEXEC) != 0)
            throw Error(std::string("run_command: no pipe: ") + std::strerror(errno));
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() { close(0), close(1); }
    void close(int end) {
        if (ends[end] >= 0) ::close(ends[end]);
        ends[end] = -1;
    }
};

// Reads until the other side closes; keeps the last `kKeptOutput` bytes or so.
std::string drain(int fd) {
    std::string all;
    char buffer[4096];
    for (;;) {
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return all;
        all.append(buffer, static_cast<std::size_t>(n));
        if (all.size() > 2 * kKeptOutput) all.erase(0, all.size() - kKeptOutput);
    }
}

// In the child, between fork and exec: only calls that are safe there. Tells the parent through `failed` why
// the program did not start.
[[noreturn]] void become(char* const* argv, const char* folder, int output, int failed) {
    const int none = ::open("/dev/null", O_RDONLY);
    if ((*folder == 0 || ::chdir(folder) == 0) && none >= 0 && ::dup2(none, 0) >= 0 &&
        ::dup2(output, 1) >= 0 && ::dup2(output, 2) >= 0)
        ::execvp(argv[0], argv);
    const int error = errno;
    static_cast<void>(!::write(failed, &error, sizeof error));
    ::_exit(127);
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& argv, const std::filesystem::path& folder) {
    assert(!argv.empty());
    std::vector<char*> pointers;
    for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);

    Pipe output, failed;
    const pid_t child = ::fork();
    if (child < 0) throw Error("run_command: cannot start " + argv[0] + ": " + std::strerror(errno));
    if (child == 0) become(pointers.data(), folder.c_str(), output.ends[1], failed.ends[1]);
    output.close(1), failed.close(1);

    CommandResult result;
    result.output = drain(output.ends[0]);
    const std::string error = drain(failed.ends[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    int code = 0;
    if (error.size() == sizeof code) std::memcpy(&code, error.data(), sizeof code);
    if (code != 0 && code != ENOENT && code != EACCES)
        throw Error("run_command: cannot start " + argv[0] + ": " + std::strerror(code));
    result.started = code == 0;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

std::string last_lines(const std::string& output, std::size_t lines) {
    std::vector<std::string> kept;
    for (std::size_t start = 0; start < output.size();) {
        std::size_t end = output.find('\n', start);
        if (end == std::string::npos) end = output.size();
        if (end > start) kept.push_back(output.substr(start, end - start));
        start = end + 1;
    }
    std::string result;
    for (std::size_t i = kept.size() > lines ? kept.size() - lines : 0; i < kept.size(); ++i)
        result += (result.empty() ? "" : " | ") + kept[i];
    return result;
}

}  // namespace fearnet
