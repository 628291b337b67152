#include "data/frontends/media/mp3.hpp"

#include <mpg123.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

#include "fearnet/error.hpp"

namespace fearnet {
namespace {

// The decoder's view of the bytes as a file.
struct MemoryFile {
    io::ByteView bytes;
    off_t at = 0;
};

ssize_t read_bytes(void* user, void* to, std::size_t count) {
    auto& file = *static_cast<MemoryFile*>(user);
    const auto at = static_cast<std::size_t>(file.at), size = file.bytes.size();
    count = std::min(count, size - std::min(at, size));
    if (count > 0) std::copy_n(file.bytes.data() + at, count, static_cast<std::uint8_t*>(to));
    file.at += static_cast<off_t>(count);
    return static_cast<ssize_t>(count);
}

// As in a file, places behind the end can be reached, and hold nothing.
off_t seek(void* user, off_t offset, int whence) {
    constexpr off_t kFarthest = 1 << 30;  // fits on machines of 32 bits
    auto& file = *static_cast<MemoryFile*>(user);
    const auto end = static_cast<off_t>(file.bytes.size());
    const off_t from = whence == SEEK_CUR ? file.at : whence == SEEK_END ? end : 0;
    if (offset < -from || offset > std::max(end, kFarthest) - from) return -1;
    return file.at = from + offset;
}

[[noreturn]] void refuse(const std::string& why) {
    throw Error("decode_sound: an MP3 that cannot be read: " + why + "; convert the sound");
}

}  // namespace

struct Mp3::State {
    MemoryFile file;
    mpg123_handle* decoder = nullptr;
    ~State() {
        if (decoder) mpg123_delete(decoder);
    }
};

Mp3::Mp3(io::ByteView bytes) : state_(std::make_unique<State>()) {
    static const int started = mpg123_init();  // needed by old versions
    int error = started;
    state_->file.bytes = bytes;
    if (error == MPG123_OK) state_->decoder = mpg123_new(nullptr, &error);
    mpg123_handle* decoder = state_->decoder;
    if (!decoder) throw OutOfMemory("decode_sound: not enough memory for an MP3 decoder");
    const auto check = [&](int result) {
        if (result != MPG123_OK) refuse(mpg123_strerror(decoder));
    };
    check(mpg123_param(decoder, MPG123_REMOVE_FLAGS, MPG123_AUTO_RESAMPLE, 0));
    check(mpg123_param(decoder, MPG123_ADD_FLAGS,
                       MPG123_QUIET | MPG123_FORCE_FLOAT | MPG123_GAPLESS | MPG123_NO_FRANKENSTEIN, 0));
    check(mpg123_replace_reader_handle(decoder, read_bytes, seek, nullptr));
    check(mpg123_open_handle(decoder, &state_->file));
    long rate = 0;
    int encoding = 0;
    check(mpg123_getformat(decoder, &rate, &channels_, &encoding));
    if (encoding != MPG123_ENC_FLOAT_32) refuse("the decoder does not give numbers of 32 bits");
    rate_ = static_cast<int>(rate);
}

Mp3::~Mp3() = default;

std::size_t Mp3::read(float* out, std::size_t frames) {
    const std::size_t frame = sizeof(float) * static_cast<std::size_t>(channels_);
    std::size_t done = 0;
    const int result =
        mpg123_read(state_->decoder, reinterpret_cast<unsigned char*>(out), frames * frame, &done);
    if (result != MPG123_OK && result != MPG123_DONE)
        refuse(result == MPG123_NEW_FORMAT
                   ? "its rate or channels change"
                   : "it is damaged (" + std::string(mpg123_strerror(state_->decoder)) + ")");
    return done / frame;
}

}  // namespace fearnet
