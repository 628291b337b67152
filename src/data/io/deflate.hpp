// zlib for whole buffers.
#pragma once

#include <string>

#include "data/io/files.hpp"

namespace fearnet::io {

// True when `bytes` starts like a gzip file.
bool is_gzip(ByteView bytes);

// Unpacks a gzip file of one or more members, up to `max_bytes`; CRCs are checked. Throws Error starting with
// `what`.
Bytes gunzip(ByteView bytes, const std::string& what, std::uint64_t max_bytes = kNoLimit);

// The file's bytes, unpacked when it is gzip.
Bytes read_maybe_gzip(const std::filesystem::path& path, std::uint64_t max_bytes = kNoLimit);

// Raw deflate, as in a zip member, that must unpack to exactly `size` bytes. Memory grows with what is really
// unpacked, never with `size`. Throws Error starting with `what`.
Bytes inflate_raw(ByteView bytes, std::uint64_t size, const std::string& what);
// The first `count` bytes of what it unpacks to, or all when there are fewer.
Bytes inflate_front(ByteView bytes, std::size_t count, const std::string& what);
Bytes deflate_raw(ByteView bytes);

std::uint32_t crc32_of(ByteView bytes, std::uint32_t before = 0);

}  // namespace fearnet::io
