// Files and standard input piece by piece, for what need not be in memory at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "data/io/files.hpp"

namespace fearnet::io {

// An open file, read from front to back.
class ByteStream {
  public:
    // `path`, or standard input for "-". Throws Error naming it when it is missing, a folder or cannot be
    // read.
    explicit ByteStream(const std::string& path);
    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;
    ~ByteStream();

    // Reads 1 to `most` bytes, as many as are there; waits only when there are none. 0 at the end.
    std::size_t read(std::uint8_t* to, std::size_t most);
    // Whether `read` would not wait: always for a file, for a pipe when something was written.
    bool ready() const;
    // Whether the bytes to come start so; they stay to be read. Waits for no byte behind the first
    // difference.
    bool starts_with(std::string_view text);
    // Bytes of a regular file; none for a pipe.
    std::optional<std::uint64_t> size() const { return size_; }
    // Reads exactly `bytes` at a place of a regular file; the other functions do not notice.
    void read_at(std::uint64_t offset, std::uint8_t* to, std::size_t bytes) const;
    // "standard input", or the path: for messages.
    const std::string& what() const { return what_; }

  private:
    std::string what_;
    int fd_ = -1;
    bool owned_ = false;
    std::optional<std::uint64_t> size_;
    Bytes peeked_;  // read already, but not handed out
};

// Everything that is left of a stream. Throws Error when that is more than `max_bytes`.
Bytes read_all(ByteStream& stream, std::uint64_t max_bytes = kNoLimit);

// Text of a stream, unpacked when it is gzip.
class TextStream {
  public:
    // Reading more than `max_bytes` of text throws Error.
    explicit TextStream(ByteStream& source, std::uint64_t max_bytes = kNoLimit);
    TextStream(const TextStream&) = delete;
    TextStream& operator=(const TextStream&) = delete;
    ~TextStream();

    // `rest`, what is left of the text given so far, with more text behind it; waits for at least one byte.
    // Earlier views are invalid afterwards. False at the end, and `rest` is unchanged then.
    bool refill(std::string_view& rest);
    // Whether `refill` would not wait.
    bool ready() const { return source_.ready(); }

  private:
    std::size_t read(char* to, std::size_t most);

    struct Inflater;
    ByteStream& source_;
    std::unique_ptr<Inflater> inflater_;  // none: plain text
    std::uint64_t max_bytes_;
    std::uint64_t left_;  // bytes that may still be read
    std::string text_;
};

}  // namespace fearnet::io
