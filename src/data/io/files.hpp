// Whole files in and out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>

#include "core/base/byte_view.hpp"

namespace fearnet::io {

// For readers that take a largest number of bytes.
inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// Everything in the file. Throws Error naming the file when it is missing, a folder or cannot be read.
Bytes read_file(const std::filesystem::path& path);

// The one of fearnet/base/output_file.hpp, for bytes.
void write_file_atomically(const std::filesystem::path& path, ByteView bytes);

}  // namespace fearnet::io
