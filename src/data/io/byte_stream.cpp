#include "data/io/byte_stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/bytes.hpp"
#include "fearnet/error.hpp"

namespace fearnet::io {
namespace {

constexpr std::size_t kChunk = 256 * 1024;

[[noreturn]] void fail(const std::string& what, const char* action, int error = errno) {
    throw Error(what + ": cannot " + action + ": " + std::strerror(error));
}

[[noreturn]] void fail_too_large(const std::string& what, std::uint64_t limit) {
    throw Error(what + ": unpacks to more than the limit of " + bytes_text(limit) +
                "; --max-bytes raises it");
}

}  // namespace

ByteStream::ByteStream(const std::string& path) : what_(path == "-" ? "standard input" : path) {
    owned_ = path != "-";
    fd_ = owned_ ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (fd_ < 0) fail(what_, "open");
    struct stat info {};
    const int error = ::fstat(fd_, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
    if (error != 0) {
        if (owned_) ::close(fd_);
        fail(what_, "read", error);
    }
    if (owned_ && S_ISREG(info.st_mode)) size_ = static_cast<std::uint64_t>(info.st_size);
}

ByteStream::~ByteStream() {
    if (owned_) ::close(fd_);
}

std::size_t ByteStream::read(std::uint8_t* to, std::size_t most) {
    if (!peeked_.empty()) {
        const std::size_t n = std::min(most, peeked_.size());
        std::copy_n(peeked_.begin(), n, to);
        peeked_.erase(peeked_.begin(), peeked_.begin() + static_cast<std::ptrdiff_t>(n));
        return n;
    }
    for (;;) {
        const ssize_t n = ::read(fd_, to, std::min<std::size_t>(most, 1u << 30));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(what_, "read");
        return static_cast<std::size_t>(n);
    }
}

bool ByteStream::ready() const {
    pollfd asked{fd_, POLLIN, 0};
    return !peeked_.empty() || ::poll(&asked, 1, 0) != 0;  // an error is for `read` to tell
}

bool ByteStream::starts_with(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i == peeked_.size()) {
            Bytes before = std::move(peeked_);
            peeked_.clear();
            std::uint8_t next = 0;
            if (read(&next, 1) == 1) before.push_back(next);
            peeked_ = std::move(before);
        }
        if (i == peeked_.size() || peeked_[i] != static_cast<std::uint8_t>(text[i])) return false;
    }
    return true;
}

void ByteStream::read_at(std::uint64_t offset, std::uint8_t* to, std::size_t bytes) const {
    while (bytes > 0) {
        const ssize_t n =
            ::pread(fd_, to, std::min<std::size_t>(bytes, 1u << 30), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(what_, "read");
        if (n == 0) throw Error(what_ + ": became shorter while it was read");
        to += n, bytes -= static_cast<std::size_t>(n), offset += static_cast<std::uint64_t>(n);
    }
}

Bytes read_all(ByteStream& stream, std::uint64_t max_bytes) {
    Bytes all;
    for (;;) {
        const std::size_t before = all.size();
        all.resize(before + kChunk);
        const std::size_t n = stream.read(all.data() + before, kChunk);
        all.resize(before + n);
        if (n == 0) return all;
        if (all.size() > max_bytes) fail_too_large(stream.what(), max_bytes);
    }
}

struct TextStream::Inflater {
    z_stream z{};
    Bytes packed;        // z.next_in points into it
    bool inside = true;  // of a member, which must end
    Inflater(const std::string& what) : packed(kChunk) {
        if (inflateInit2(&z, MAX_WBITS + 16) != Z_OK) throw Error(what + ": zlib cannot start");
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() { inflateEnd(&z); }
};

TextStream::TextStream(ByteStream& source, std::uint64_t max_bytes)
    : source_(source), max_bytes_(max_bytes), left_(max_bytes) {
    if (source.starts_with("\x1f\x8b")) inflater_ = std::make_unique<Inflater>(source.what());
}

TextStream::~TextStream() = default;

// As ByteStream::read, unpacked. A file may have several members, one behind the other.
std::size_t TextStream::read(char* to, std::size_t most) {
    if (!inflater_) return source_.read(reinterpret_cast<std::uint8_t*>(to), most);
    z_stream& z = inflater_->z;
    z.next_out = reinterpret_cast<Bytef*>(to);
    const uInt room = z.avail_out = static_cast<uInt>(most);
    while (z.avail_out == room) {
        if (z.avail_in == 0) {
            z.next_in = inflater_->packed.data();
            z.avail_in = static_cast<uInt>(source_.read(inflater_->packed.data(), kChunk));
            if (z.avail_in == 0 && inflater_->inside)
                throw Error(source_.what() + ": compressed data is truncated");
            if (z.avail_in == 0) return 0;
        }
        if (!inflater_->inside) inflateReset(&z);
        inflater_->inside = true;
        const int result = inflate(&z, Z_NO_FLUSH);
        if (result == Z_STREAM_END)
            inflater_->inside = false;
        else if (result != Z_OK && result != Z_BUF_ERROR)
            throw Error(source_.what() + ": compressed data is damaged (" + (z.msg ? z.msg : "zlib error") +
                        ")");
    }
    return room - z.avail_out;
}

// Doubles the buffer, so that the cost of a long line stays linear.
bool TextStream::refill(std::string_view& rest) {
    text_.erase(0, text_.size() - rest.size());
    const std::size_t before = text_.size();
    std::size_t used = before;
    text_.resize(before + std::max(before, kChunk));
    while (used < text_.size() && (used == before || ready())) {
        const std::size_t n = read(text_.data() + used, std::min<std::size_t>(text_.size() - used, 1u << 30));
        if (n == 0) break;
        if (n > left_) fail_too_large(source_.what(), max_bytes_);
        left_ -= n;
        used += n;
    }
    text_.resize(used);
    rest = text_;
    return used > before;
}

}  // namespace fearnet::io
