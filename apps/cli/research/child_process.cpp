#include "research/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "fearnet/error.hpp"

extern char** environ;

namespace fearnet::cli {
namespace {

constexpr std::size_t kKeptErrors = 4096;
// The very file that runs, also when another has been installed in its place.
constexpr const char* kThisProgram = "/proc/self/exe";

// Several runs at once share the processors, so each computes with one thread.
std::vector<std::string> child_environment() {
    std::vector<std::string> result;
    for (char** e = environ; *e != nullptr; ++e)
        if (std::strncmp(*e, "OMP_NUM_THREADS=", 16) != 0) result.emplace_back(*e);
    result.emplace_back("OMP_NUM_THREADS=1");
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> result;
    for (std::string& word : words) result.push_back(word.data());
    result.push_back(nullptr);
    return result;
}

void pipe_for(int (&ends)[2]) {
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw Error(std::string("cannot start a run: ") + std::strerror(errno));
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

// Appends what can be read without waiting.
void drain(int file, std::string& text) {
    char buffer[4096];
    for (;;) {
        const ssize_t n = ::read(file, buffer, sizeof buffer);
        if (n > 0)
            text.append(buffer, static_cast<std::size_t>(n));
        else if (n == 0 || errno != EINTR)
            return;
    }
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
    std::vector<std::string> words{"fearnet"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> environment = child_environment();
    int out[2], err[2];
    pipe_for(out);
    pipe_for(err);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    // A group of its own: Ctrl-C reaches this process only, which then stops its children.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    const int error = ::posix_spawn(&pid_, kThisProgram, &actions, &attributes, pointers(words).data(),
                                    pointers(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(out[1]);
    ::close(err[1]);
    out_ = out[0], err_ = err[0];
    if (error == 0) return;
    ::close(out_);
    ::close(err_);
    throw Error(fmt::format("cannot start a run: {}", std::strerror(error)));
}

ChildProcess::~ChildProcess() {
    stop();
    ::close(out_);
    ::close(err_);
}

void ChildProcess::read_lines() {
    drain(out_, unfinished_);
    const std::size_t end = unfinished_.rfind('\n');
    if (end == std::string::npos) return;
    const std::size_t before = end == 0 ? std::string::npos : unfinished_.rfind('\n', end - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    last_line_ = unfinished_.substr(begin, end - begin);
    unfinished_.erase(0, end + 1);
}

void ChildProcess::read_errors() {
    drain(err_, errors_);
    if (errors_.size() > kKeptErrors) errors_.erase(0, errors_.size() - kKeptErrors);
}

bool ChildProcess::running() {
    if (status_) return false;
    int status = 0;
    const bool ended = ::waitpid(pid_, &status, WNOHANG) == pid_;
    read_lines();
    read_errors();
    if (ended) status_ = status;
    return !ended;
}

std::string ChildProcess::problem() const {
    if (!status_ || (WIFEXITED(*status_) && WEXITSTATUS(*status_) == 0)) return "";
    std::string line = errors_.substr(0, errors_.find_last_not_of('\n') + 1);
    line = line.substr(line.rfind('\n') + 1);
    if (line.starts_with("fearnet: ")) line.erase(0, 9);
    if (WIFSIGNALED(*status_))
        return fmt::format("ended by signal {} ({}){}", WTERMSIG(*status_), ::strsignal(WTERMSIG(*status_)),
                           line.empty() ? "" : ": " + line);
    return line.empty() ? fmt::format("exit code {}", WEXITSTATUS(*status_)) : line;
}

// Files appear whole or not at all, so a child can be ended at any time.
void ChildProcess::stop() {
    if (status_ || pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    status_ = status;
}

void die_with_parent(long parent) {
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (::getppid() != parent) std::_Exit(1);  // it ended before we asked
}

}  // namespace fearnet::cli
