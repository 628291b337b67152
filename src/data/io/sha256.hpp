// SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "data/io/files.hpp"

namespace fearnet::io {

// The hash of bytes that arrive in parts.
class Sha256 {
  public:
    void add(ByteView bytes);
    // 64 lowercase hexadecimal digits. Call once, after the last add.
    std::string hex();

  private:
    void block(const std::uint8_t* bytes);

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::uint8_t, 64> waiting_{};  // of a block that is not full
    std::size_t filled_ = 0;
    std::uint64_t total_ = 0;  // bytes
};

std::string sha256_hex(ByteView bytes);
// Of a file that need not fit into memory. Throws Error when it cannot be read.
std::string sha256_hex_of_file(const std::filesystem::path& path);

// Whether `text` has the form of a hash: 64 lowercase hexadecimal digits.
bool is_sha256_hex(std::string_view text);

}  // namespace fearnet::io
