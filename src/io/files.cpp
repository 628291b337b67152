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
    std::string path;
    bool keep = false;
    ~Temporary() {
        if (!keep) ::unlink(path.c_str());
    }
};

}  // namespace

Bytes read_file(const std::filesystem::path& path) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) fail(path, "open");
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) fail(path, "read");
    if (S_ISDIR(info.st_mode)) fail(path, "read", EISDIR);

    // The size is a hint only: a pipe has none, and a file may grow while it is read.
    Bytes bytes(static_cast<std::size_t>(std::max<off_t>(info.st_size, 0)));
    for (std::size_t used = 0;;) {
        if (used == bytes.size()) bytes.resize(used + (used < bytes.capacity() ? 1 : kChunk));
        const ssize_t n = ::read(file.get(), bytes.data() + used, bytes.size() - used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(path, "read");
        used += static_cast<std::size_t>(n);
        if (n == 0) return bytes.resize(used), bytes;
    }
}

void write_file_atomically(const std::filesystem::path& path, ByteView bytes) {
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    Temporary temporary{path.string() + ".XXXXXX"};
    Descriptor file(::mkstemp(temporary.path.data()));
    if (file.get() < 0) {
        temporary.keep = true;
        fail(path, "create a file beside it");
    }
    write_all(file.get(), bytes, path);
    // mkstemp makes private files; what users save should follow their umask like any other file.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(file.get(), 0666 & ~mask) != 0) fail(path, "write");
    if (::fsync(file.get()) != 0 || file.close() != 0) fail(path, "write");
    if (::rename(temporary.path.c_str(), path.c_str()) != 0) fail(path, "rename the finished file");
    temporary.keep = true;

    // The rename itself is only safe once the folder is on disk. Some file systems refuse to sync a folder;
    // the file is whole all the same.
    const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent.get() >= 0) ::fsync(parent.get());
}

}  // namespace fearnet::io
