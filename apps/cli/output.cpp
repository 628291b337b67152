#include "output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "fearnet/error.hpp"

namespace fearnet::cli {
namespace {

constexpr std::size_t kAtOnce = 1u << 16;

// Unlike stdio, goes on after a signal.
void write_to_stdout(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw Error(std::string("standard output: cannot write: ") + std::strerror(errno));
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

}  // namespace

bool is_standard_output(const std::string& name) {
    return name.empty() || name == "-" || name == "/dev/stdout";
}

Output::Output(const std::string& name) {
    if (!is_standard_output(name)) file_.emplace(name);
}

void Output::write(std::string_view bytes) {
    waiting_ += bytes;
    if (waiting_.size() >= kAtOnce) flush();
}

void Output::flush() {
    if (file_)
        file_->write(waiting_);
    else
        write_to_stdout(waiting_);
    waiting_.clear();
}

void Output::finish() {
    flush();
    if (file_) file_->commit();
}

}  // namespace fearnet::cli
