// The real `fearnet serve` as a process of its own.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "server/served_brain.hpp"

namespace fearnet::test {

class ServedProgram {
  public:
    // Starts `fearnet serve ARGUMENTS --listen 127.0.0.1:0` and waits until it listens. `prepare` runs in the
    // child before the program. Port 0 afterwards: it did not start.
    explicit ServedProgram(const std::vector<std::string>& arguments,
                           const std::function<void()>& prepare = {}, bool with_listen = true) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
        std::vector<std::string> all{FEARNET_CLI, "serve"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        if (with_listen) all.insert(all.end(), {"--listen", "127.0.0.1:0"});
        std::vector<char*> argv;
        for (std::string& a : all) argv.push_back(a.data());
        argv.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(ends[1], STDERR_FILENO);
            ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
            if (prepare) prepare();
            ::execv(FEARNET_CLI, argv.data());
            ::_exit(127);
        }
        ::close(ends[1]);
        errors_ = ends[0];
        while (port_ == 0 && read_more()) {
            const std::size_t at = said_.find("://"), end = said_.find("/ serves", at);
            if (at == std::string::npos || end == std::string::npos) continue;
            port_ = static_cast<std::uint16_t>(std::atoi(said_.c_str() + said_.rfind(':', end) + 1));
        }
    }
    ~ServedProgram() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            wait();
        }
        ::close(errors_);
    }
    ServedProgram(const ServedProgram&) = delete;
    ServedProgram& operator=(const ServedProgram&) = delete;

    std::uint16_t port() const { return port_; }
    pid_t pid() const { return pid_; }
    void kill(int signal) const { ::kill(pid_, signal); }
    // The exit code; -1 if a signal ended it.
    int wait() {
        int status = 0;
        ::waitpid(std::exchange(pid_, -1), &status, 0);
        while (read_more()) {
        }
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    // What it wrote to stderr.
    const std::string& said() const { return said_; }
    HttpAnswer ask(const std::string& method, const std::string& target, const std::string& body = "",
                   const std::string& type = kJson, const std::string& more_headers = "") const {
        return HttpConnection(port_).request(method, target, body, type, more_headers);
    }

  private:
    bool read_more() {
        char buffer[4096];
        const ssize_t count = ::read(errors_, buffer, sizeof buffer);
        if (count > 0) said_.append(buffer, static_cast<std::size_t>(count));
        return count > 0;
    }

    pid_t pid_ = -1;
    int errors_ = -1;
    std::uint16_t port_ = 0;
    std::string said_;
};

}  // namespace fearnet::test
