// Writing the protocol buffers wire format.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace fearnet::protobuf {

// One message. Fields are written in the order of the calls; a repeated field is written several times.
class Message {
  public:
    void integer(std::uint32_t field, std::int64_t value) {
        tag(field, kVarint);
        varint(static_cast<std::uint64_t>(value));
    }
    void text(std::uint32_t field, std::string_view value) {
        tag(field, kLengthDelimited);
        varint(value.size());
        bytes_ += value;
    }
    void message(std::uint32_t field, const Message& value) { text(field, value.bytes_); }

    const std::string& bytes() const { return bytes_; }

    // For packed numbers: least significant byte first, on every machine.
    static void fixed32(std::string& out, float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(bits >> shift & 0xff);
    }

  private:
    enum WireType : std::uint32_t { kVarint = 0, kLengthDelimited = 2 };

    void tag(std::uint32_t field, WireType type) { varint(field << 3 | type); }
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(0x80 | (value & 0x7f));
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

}  // namespace fearnet::protobuf
