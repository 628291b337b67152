#include "fearnet/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fearnet/error.hpp"

namespace fearnet {
namespace {

constexpr int kMaxAttempts = 1000;
constexpr std::size_t kMaxWrite = std::size_t{1} << 30;

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
    throw Error(path.string() + ": cannot " + what + ": " + std::strerror(errno));
}

const char* kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISLNK(mode)) return "a symbolic link";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

// Brains are SQLite files.
bool is_brain(const std::filesystem::path& path) {
    constexpr std::string_view kFront = "SQLite format 3";
    char front[kFront.size()] = {};
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return false;
    const ssize_t n = ::read(file, front, sizeof front);
    ::close(file);
    return n == static_cast<ssize_t>(sizeof front) && std::string_view(front, sizeof front) == kFront;
}

}  // namespace

void check_replaceable(const std::filesystem::path& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return;
    if (S_ISREG(info.st_mode)) {
        if (is_brain(path))
            throw Error(path.string() + ": is a brain, which is never replaced; name another file");
        return;
    }
    throw Error(path.string() + ": is " + kind_of(info.st_mode) +
                "; only a regular file is replaced; name another file");
}

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path) {
    check_replaceable(path_);
    create_beside();
}

OutputFile::~OutputFile() {
    if (file_ >= 0) ::close(file_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

// O_EXCL follows no link. The mode follows the umask, like that of any other file.
void OutputFile::create_beside() {
    for (int attempt = 0;; ++attempt) {
        const std::string name =
            path_.string() + ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
        file_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file_ < 0 && errno == EEXIST && attempt < kMaxAttempts) continue;
        if (file_ < 0) fail(path_, "create a file beside it");
        temporary_ = name;
        return;
    }
}

void OutputFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file_, bytes.data(), std::min(bytes.size(), kMaxWrite));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(path_, "write");
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

void OutputFile::commit() {
    const bool synced = ::fsync(file_) == 0 || errno == EINVAL;  // some file systems cannot
    const int error = errno;
    const bool closed = ::close(file_) == 0;
    file_ = -1;
    if (!synced) errno = error;
    if (!synced || !closed) fail(path_, "write");
    check_replaceable(path_);  // checked again: writing may have taken long
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "rename the finished file");
    temporary_.clear();

    // The rename itself is only safe once the folder is on disk. Some file systems refuse to sync a folder;
    // the file is complete nevertheless.
    const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
    const int parent = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0) return;
    ::fsync(parent);
    ::close(parent);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
    OutputFile file(path);
    file.write(bytes);
    file.commit();
}

std::filesystem::path make_folder_inside(const std::filesystem::path& folder, const std::string& name) {
    const std::filesystem::path made = folder / name;
    std::error_code error;
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(made, error)))
        throw Error(made.string() + ": is a symbolic link, which is not followed; put a folder in its place");
    std::filesystem::create_directories(made, error);
    if (error) throw Error("cannot make the folder " + made.string() + ": " + error.message());
    return made;
}

}  // namespace fearnet
