#include "data/io/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "fearnet/error.hpp"
#include "fearnet/output_file.hpp"

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
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }

  private:
    int fd_;
};

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
    fearnet::write_file_atomically(path, as_text(bytes));
}

}  // namespace fearnet::io
