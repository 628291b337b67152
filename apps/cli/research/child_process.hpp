// A child process that runs one job.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace fearnet::cli {

// The child's stdout is read line by line, its stderr is kept. It has one thread to compute with. It ends
// with this process, however that ends, if it calls die_with_parent. One owner; not thread-safe.
class ChildProcess {
  public:
    // Starts this program with these arguments. Throws Error if that fails.
    explicit ChildProcess(const std::vector<std::string>& arguments);
    // Stops it if it still runs.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    // Reads available output without waiting. Returns false once the child has ended.
    bool running();
    // The last whole line it wrote to stdout.
    const std::string& last_line() const { return last_line_; }
    // Why the child failed, in one line: the last line of its stderr, or the signal; empty if it succeeded.
    // Call it after the child has ended.
    std::string problem() const;
    void stop();

  private:
    void read_lines();
    void read_errors();

    pid_t pid_ = -1;
    int out_ = -1;
    int err_ = -1;
    std::optional<int> status_;
    std::string unfinished_;
    std::string last_line_;
    std::string errors_;
};

// For the child: have the kernel end this process when its parent ends.
void die_with_parent(long parent);

}  // namespace fearnet::cli
