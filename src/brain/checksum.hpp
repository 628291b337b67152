// The checksums of a brain file. docs/formats/brain.md has the rule: it must never change.
#pragma once

#include <cstring>

#include "fearnet/base/rng.hpp"
#include "io/files.hpp"

namespace fearnet {

// Every step is a bijection of the 64 bits so far, so that a change of any one word is never missed.
class Checksum {
  public:
    void add(std::uint64_t word) { state_ = mix64(state_ ^ word); }
    void add(io::ByteView bytes) {
        add(bytes.size());
        for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
            add(word);
        }
    }
    void add(std::string_view text) { add(io::as_bytes(text)); }
    // SQLite's integers have a sign.
    std::int64_t value() const { return static_cast<std::int64_t>(state_); }

  private:
    std::uint64_t state_ = 0;
};

}  // namespace fearnet
