#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "fearnet/base/error.hpp"
#include "fearnet/report/report.hpp"

namespace fearnet {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int error) {
    throw Error("cannot write " + path.string() + ": " + std::generic_category().message(error));
}

int write_and_sync(const fs::path& path, const std::string& text) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return errno;
    int error = 0;
    for (std::size_t done = 0; done < text.size() && error == 0;) {
        const ssize_t n = ::write(file, text.data() + done, text.size() - done);
        if (n >= 0)
            done += static_cast<std::size_t>(n);
        else if (errno != EINTR)
            error = errno;
    }
    if (error == 0 && ::fsync(file) != 0 && errno != EINVAL) error = errno;
    if (::close(file) != 0 && error == 0) error = errno;
    return error;
}

// Under another name first, then renamed: a reader sees the old file or the new one, never half of one. The
// process id keeps two programs that write to the same place apart.
void write_whole(const fs::path& path, const std::string& text) {
    fs::path part = path;
    part += "." + std::to_string(::getpid()) + ".part";
    int error = write_and_sync(part, text);
    if (error == 0 && std::rename(part.c_str(), path.c_str()) != 0) error = errno;
    if (error == 0) return;
    ::unlink(part.c_str());
    fail(path, error);
}

}  // namespace

void write_report(const fs::path& directory, const std::vector<RunRecord>& runs, const RunContext& context) {
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) fail(directory, error.value());
    write_whole(directory / "sessions.csv", sessions_csv(runs));
    write_whole(directory / "accuracy.svg", accuracy_svg(runs));
    write_whole(directory / "summary.json", summary_json(runs, context));
}

}  // namespace fearnet
