// Numbers in files whose byte order is fixed.
#pragma once

#include <cstdint>

#include "data/io/files.hpp"

namespace fearnet::io {

// The caller has checked that `bytes` are there.
template <class Unsigned>
Unsigned read_little(const std::uint8_t* bytes) {
    Unsigned value = 0;
    for (std::size_t i = sizeof(Unsigned); i-- > 0;)
        value = static_cast<Unsigned>(static_cast<std::uint64_t>(value) << 8 | bytes[i]);
    return value;
}

template <class Unsigned>
void append_little(Bytes& out, Unsigned value) {
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

}  // namespace fearnet::io
