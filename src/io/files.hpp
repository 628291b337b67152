// Whole files in and out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace fearnet::io {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

// For readers that take a largest number of bytes.
inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

inline std::string_view as_text(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline ByteView as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Everything in the file. Throws Error naming the file when it is missing, a folder or cannot be read.
Bytes read_file(const std::filesystem::path& path);

// The one of fearnet/base/output_file.hpp, for bytes.
void write_file_atomically(const std::filesystem::path& path, ByteView bytes);

}  // namespace fearnet::io
