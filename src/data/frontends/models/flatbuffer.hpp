// Reading FlatBuffers, the container of TensorFlow Lite models. Every offset and length is checked against
// the end of the file; damaged bytes throw Error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/io/files.hpp"
#include "data/io/little_endian.hpp"

namespace fearnet::flatbuffer {

// The bytes of a file and its name for messages. Tables refer to it.
struct File {
    io::ByteView bytes;
    std::string what;

    // `count` elements of `size` bytes at `place`. Throws Error when the file ends before.
    io::ByteView at(std::uint64_t place, std::uint64_t count, std::uint64_t size) const;
    template <class Unsigned>
    Unsigned read(std::uint64_t place) const {
        return io::read_little<Unsigned>(at(place, 1, sizeof(Unsigned)).data());
    }
};

// One table. A field that the file leaves out has the schema's default: `otherwise`, nothing or an empty
// list.
class Table {
  public:
    // The root table. `file` must outlive it and all tables reached from it. Throws Error unless the file
    // has this four-letter identifier.
    static Table root(const File& file, std::string_view identifier);

    std::uint8_t u8(std::uint32_t field, std::uint8_t otherwise = 0) const;
    std::int32_t i32(std::uint32_t field, std::int32_t otherwise = 0) const;
    std::uint32_t u32(std::uint32_t field, std::uint32_t otherwise = 0) const;
    std::optional<Table> table(std::uint32_t field) const;
    std::string_view text(std::uint32_t field) const;
    io::ByteView bytes(std::uint32_t field) const;
    std::vector<std::int32_t> i32s(std::uint32_t field) const;
    std::vector<std::int64_t> i64s(std::uint32_t field) const;
    std::vector<float> floats(std::uint32_t field) const;
    std::vector<Table> tables(std::uint32_t field) const;

  private:
    Table(const File& file, std::uint64_t place);
    // Where the field's value lies; none: left out.
    std::optional<std::uint64_t> place_of(std::uint32_t field) const;
    template <class Unsigned>
    Unsigned number(std::uint32_t field, Unsigned otherwise) const;
    // The elements of a vector of elements of `size` bytes.
    io::ByteView elements(std::uint32_t field, std::uint64_t size) const;
    template <class Number>
    std::vector<Number> numbers(std::uint32_t field) const;

    const File* file_;
    std::uint64_t place_;
    std::uint64_t fields_ = 0;       // place of the table's list of fields (vtable)
    std::uint32_t fields_size_ = 0;  // in bytes
};

}  // namespace fearnet::flatbuffer
