// zlib for whole buffers.
#pragma once

#include <string>

#include "io/files.hpp"

namespace fearnet::io {

// True when `bytes` starts like a gzip file.
bool is_gzip(ByteView bytes);

// Unpacks a gzip file of one or more members; CRCs are checked. Throws Error starting with `what`.
Bytes gunzip(ByteView bytes, const std::string& what);

// The file's bytes, unpacked when it is gzip.
Bytes read_maybe_gzip(const std::filesystem::path& path);

// Raw deflate, as in a zip member, that must unpack to exactly `size` bytes. Memory grows with what is really
// unpacked, never with `size`. Throws Error starting with `what`.
Bytes inflate_raw(ByteView bytes, std::uint64_t size, const std::string& what);
Bytes deflate_raw(ByteView bytes);

std::uint32_t crc32_of(ByteView bytes, std::uint32_t before = 0);

}  // namespace fearnet::io
