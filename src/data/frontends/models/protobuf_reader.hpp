// Reading the protocol buffers wire format. Every length is checked against the end of its message; damaged
// bytes throw Error.
#pragma once

#include <string>

#include "data/io/files.hpp"

namespace fearnet::protobuf {

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct Field {
    std::uint32_t number = 0;
    WireType type = WireType::varint;
    std::uint64_t integer = 0;  // varint
    io::ByteView bytes = {};  // bytes: a text, packed numbers or a message; fixed32 and fixed64: 4 or 8 bytes
    io::ByteView whole = {};  // the field with its tag and length, for copying
};

// Goes through the fields of one message in the order of the file.
class Reader {
  public:
    // `what` starts the messages of errors and must outlive the reader.
    Reader(io::ByteView message, const std::string& what) : rest_(message), what_(what) {}

    // False at the end. Throws Error for a field that does not end inside the message.
    bool next(Field& field);

  private:
    std::uint64_t varint();
    io::ByteView take(std::uint64_t count);

    io::ByteView rest_;
    const std::string& what_;
};

}  // namespace fearnet::protobuf
