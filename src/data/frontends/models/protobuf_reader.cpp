#include "data/frontends/models/protobuf_reader.hpp"

#include "fearnet/error.hpp"

namespace fearnet::protobuf {

io::ByteView Reader::take(std::uint64_t count) {
    if (count > rest_.size())
        throw Error(what_ + ": damaged: a field of " + std::to_string(count) + " bytes where " +
                    std::to_string(rest_.size()) + " are left");
    const io::ByteView taken = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(taken.size());
    return taken;
}

std::uint64_t Reader::varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        const std::uint8_t byte = take(1)[0];
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    throw Error(what_ + ": damaged: a number of more than ten bytes");
}

bool Reader::next(Field& field) {
    if (rest_.empty()) return false;
    const io::ByteView start = rest_;
    const std::uint64_t tag = varint();
    if (tag >> 3 == 0 || tag >> 3 >= std::uint64_t{1} << 29)
        throw Error(what_ + ": damaged: field number " + std::to_string(tag >> 3));
    field = {.number = static_cast<std::uint32_t>(tag >> 3), .type = static_cast<WireType>(tag & 7)};
    switch (field.type) {
        case WireType::varint:
            field.integer = varint();
            break;
        case WireType::fixed64:
            field.bytes = take(8);
            break;
        case WireType::bytes:
            field.bytes = take(varint());
            break;
        case WireType::fixed32:
            field.bytes = take(4);
            break;
        default:
            throw Error(what_ + ": damaged: field type " + std::to_string(tag & 7));
    }
    field.whole = start.first(start.size() - rest_.size());
    return true;
}

}  // namespace fearnet::protobuf
