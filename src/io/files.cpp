#include "io/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "fearnet/base/error.hpp"

namespace fearnet::io {
namespace {

constexpr std::size_t kChunk = 1 << 20;
constexpr int kMostAttempts = 1000;

[[noreturn]] void fail(const std::filesystem::path& path, const char* what, int error = errno) {
    throw Error(path.string() + ": cannot " + what + ": " + std::strerror(error));
}

class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }
    int get() const { return fd_; }
    int close() {
        const int result = fd_ < 0 ? 0 : ::close(fd_);
        fd_ = -1;
        return result;
    }

  private:
    int fd_;
};

void write_all(int fd, ByteView bytes, const std::filesystem::path& path) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), std::min<std::size_t>(bytes.size(), 1u << 30));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(path, "write");
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
}

// Removes the temporary file unless it was renamed.
struct Temporary {
    std::string path;  // empty: none
    ~Temporary() {
        if (!path.empty()) ::unlink(path.c_str());
    }
};

// A new file of our own in the same folder. Its mode follows the umask, like that of any other file.
int create_beside(const std::filesystem::path& path, Temporary& temporary) {
    for (int attempt = 0;; ++attempt) {
        const std::string name =
            path.string() + ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
        const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno == EEXIST && attempt < kMostAttempts) continue;
        if (fd < 0) fail(path, "create a file beside it");
        temporary.path = name;
        return fd;
    }
}

}  // namespace

Bytes read_file(const std::filesystem::path& path) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) fail(path, "open");
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) fail(path, "read");
    if (S_ISDIR(info.st_mode)) fail(path, "read", EISDIR);

    // The size is a hint only: a pipe has none, and a file may grow while it is read. The byte more lets the
    // read that finds the end happen without growing.
    Bytes bytes(static_cast<std::size_t>(std::max<off_t>(info.st_size, 0)) + 1);
    std::size_t used = 0;
    for (;;) {
        if (used == bytes.size()) bytes.resize(used + std::max(used, kChunk));
        const ssize_t n = ::read(file.get(), bytes.data() + used, bytes.size() - used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(path, "read");
        if (n == 0) break;
        used += static_cast<std::size_t>(n);
    }
    bytes.resize(used);
    return bytes;
}

void write_file_atomically(const std::filesystem::path& path, ByteView bytes) {
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    Temporary temporary;
    Descriptor file(create_beside(path, temporary));
    write_all(file.get(), bytes, path);
    if (::fsync(file.get()) != 0 || file.close() != 0) fail(path, "write");
    if (::rename(temporary.path.c_str(), path.c_str()) != 0) fail(path, "rename the finished file");
    temporary.path.clear();

    // The rename itself is only safe once the folder is on disk. Some file systems refuse to sync a folder;
    // the file is whole all the same.
    const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent.get() >= 0) ::fsync(parent.get());
}

}  // namespace fearnet::io
