// The IDX format of the MNIST family, plain or gzip.
#pragma once

#include "data/io/array.hpp"

namespace fearnet::io {

// Reads one whole IDX file. Throws Error when it is truncated, too long or damaged.
Array read_idx(const std::filesystem::path& path, std::uint64_t max_bytes = kNoLimit);

// The same from bytes that are already unpacked.
Array parse_idx(ByteView file, const std::string& what);

}  // namespace fearnet::io
