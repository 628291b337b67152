#include "data/io/deflate.hpp"

#include <zlib.h>

#include <algorithm>

#include "core/base/bytes.hpp"
#include "fearnet/error.hpp"

namespace fearnet::io {
namespace {

constexpr int kRaw = -MAX_WBITS;
constexpr int kGzip = MAX_WBITS + 16;
constexpr std::uint64_t kFirstOutput = 64 * 1024;

// zlib counts in 32 bits, so both sides are handed over in pieces.
uInt piece(std::size_t bytes) {
    return static_cast<uInt>(std::min<std::size_t>(bytes, 1u << 30));
}

class Inflater {
  public:
    Inflater(int window, const std::string& what) : what_(what) {
        if (inflateInit2(&z_, window) != Z_OK) throw Error(what + ": zlib cannot start");
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() { inflateEnd(&z_); }

    // Unpacks the beginning of a stream until `out` is full; gives how many bytes of `out` are filled.
    std::size_t unpack_front(ByteView in, Bytes& out) {
        z_.next_in = const_cast<Bytef*>(in.data());
        z_.avail_in = piece(in.size());
        z_.next_out = out.data();
        z_.avail_out = piece(out.size());
        const int result = inflate(&z_, Z_SYNC_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) damaged();
        return out.size() - z_.avail_out;
    }

    // Unpacks one stream from the front of `in` and appends it to `out`, which may grow to `limit` bytes;
    // `limit_text` says in an Error what they are.
    void unpack(ByteView& in, Bytes& out, std::uint64_t limit, const std::string& limit_text) {
        inflateReset(&z_);
        for (std::size_t used = out.size();;) {
            if (used > limit) throw Error(what_ + ": unpacks to more than " + limit_text);
            // One byte more than the limit, so that data that ends exactly there can be told from data that
            // goes on.
            if (used == out.size())
                out.resize(std::min(std::max(kFirstOutput, std::uint64_t{used} * 2), limit + 1));
            z_.next_in = const_cast<Bytef*>(in.data());
            z_.next_out = out.data() + used;
            const uInt given = z_.avail_in = piece(in.size());
            const uInt room = z_.avail_out = piece(out.size() - used);
            const int result = inflate(&z_, Z_NO_FLUSH);
            in = in.subspan(given - z_.avail_in);
            used += room - z_.avail_out;
            if (result == Z_STREAM_END && used <= limit) return out.resize(used);
            if (result == Z_STREAM_END) continue;
            if (result == Z_BUF_ERROR || (result == Z_OK && in.empty() && z_.avail_out > 0))
                throw Error(what_ + ": compressed data is truncated");
            if (result != Z_OK) damaged();
        }
    }

  private:
    [[noreturn]] void damaged() const {
        throw Error(what_ + ": compressed data is damaged (" + (z_.msg ? z_.msg : "zlib error") + ")");
    }

    z_stream z_{};
    std::string what_;
};

}  // namespace

bool is_gzip(ByteView bytes) {
    return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

Bytes gunzip(ByteView bytes, const std::string& what, std::uint64_t max_bytes) {
    if (!is_gzip(bytes)) throw Error(what + ": not a gzip file");
    Inflater inflater(kGzip, what);
    Bytes out;
    while (!bytes.empty())
        inflater.unpack(bytes, out, max_bytes,
                        "the limit of " + bytes_text(max_bytes) + "; --max-bytes raises it");
    return out;
}

Bytes read_maybe_gzip(const std::filesystem::path& path, std::uint64_t max_bytes) {
    Bytes bytes = read_file(path);
    return is_gzip(bytes) ? gunzip(bytes, path.string(), max_bytes) : bytes;
}

Bytes inflate_raw(ByteView bytes, std::uint64_t size, const std::string& what) {
    Bytes out;
    Inflater(kRaw, what)
        .unpack(bytes, out, std::min(size, kNoLimit), "the " + std::to_string(size) + " bytes announced");
    if (out.size() != size)
        throw Error(what + ": unpacks to " + std::to_string(out.size()) + " bytes but " +
                    std::to_string(size) + " were announced");
    if (!bytes.empty())
        throw Error(what + ": " + std::to_string(bytes.size()) + " bytes follow the compressed data");
    return out;
}

Bytes inflate_front(ByteView bytes, std::size_t count, const std::string& what) {
    Bytes out(count);
    out.resize(Inflater(kRaw, what).unpack_front(bytes, out));
    return out;
}

Bytes deflate_raw(ByteView bytes) {
    z_stream z{};
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRaw, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw Error("deflate_raw: zlib cannot start");
    Bytes out(deflateBound(&z, bytes.size()));
    std::size_t used = 0;
    for (int result = Z_OK; result != Z_STREAM_END;) {
        z.next_in = const_cast<Bytef*>(bytes.data());
        z.next_out = out.data() + used;
        const uInt given = z.avail_in = piece(bytes.size());
        const uInt room = z.avail_out = piece(out.size() - used);
        result = deflate(&z, given == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
        bytes = bytes.subspan(given - z.avail_in);
        used += room - z.avail_out;
    }
    deflateEnd(&z);
    out.resize(used);
    return out;
}

std::uint32_t crc32_of(ByteView bytes, std::uint32_t before) {
    return static_cast<std::uint32_t>(crc32_z(before, bytes.data(), bytes.size()));
}

}  // namespace fearnet::io
