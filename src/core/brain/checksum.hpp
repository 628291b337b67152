// The checksums of a brain file. docs/formats/brain.md has the rule: it must never change.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/base/byte_view.hpp"
#include "fearnet/rng.hpp"

namespace fearnet {

// Every step is a bijection of the 64 bits so far, so that a change of any one word is never missed.
class Checksum {
  public:
    void add(std::uint64_t word) { state_ = mix64(state_ ^ word); }
    // Four words at a time, each in a lane of its own: four times as fast as one after the other.
    void add(io::ByteView bytes) {
        add(bytes.size());
        std::uint64_t lane[4] = {state_, state_, state_, state_};
        for (std::size_t i = 0; i < bytes.size(); i += sizeof lane) {
            std::uint64_t word[4] = {};
            std::memcpy(word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
            for (int k = 0; k < 4; ++k) lane[k] = mix64(lane[k] ^ word[k]);
        }
        for (const std::uint64_t l : lane) add(l);
    }
    void add(std::string_view text) { add(io::as_bytes(text)); }
    // SQLite's integers have a sign.
    std::int64_t value() const { return static_cast<std::int64_t>(state_); }

  private:
    std::uint64_t state_ = 0;
};

// The checksum of a row begins with its table and name: a row in the wrong place is damaged too.
inline Checksum checksum_of_row(std::string_view table, std::string_view name) {
    Checksum sum;
    sum.add(table);
    sum.add(name);
    return sum;
}

}  // namespace fearnet
