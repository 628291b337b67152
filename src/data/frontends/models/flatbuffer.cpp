#include "data/frontends/models/flatbuffer.hpp"

#include <bit>

#include "fearnet/error.hpp"

namespace fearnet::flatbuffer {

io::ByteView File::at(std::uint64_t place, std::uint64_t count, std::uint64_t size) const {
    if (place > bytes.size() || count > (bytes.size() - place) / size)
        throw Error(what + ": damaged: " + std::to_string(count) + " elements at byte " +
                    std::to_string(place) + ", but the file has " + std::to_string(bytes.size()) + " bytes");
    return bytes.subspan(static_cast<std::size_t>(place), static_cast<std::size_t>(count * size));
}

Table Table::root(const File& file, std::string_view identifier) {
    if (file.bytes.size() < 8 || io::as_text(file.bytes.subspan(4, 4)) != identifier)
        throw Error(file.what + ": not a file of type " + std::string(identifier));
    return {file, file.read<std::uint32_t>(0)};
}

Table::Table(const File& file, std::uint64_t place) : file_(&file), place_(place) {
    // The distance back to the list of fields is signed, so the sum may lie on either side of the table.
    const auto back = static_cast<std::int32_t>(file.read<std::uint32_t>(place));
    const std::int64_t fields = static_cast<std::int64_t>(place) - back;
    if (fields < 0)
        throw Error(file.what + ": damaged: the fields of the table at byte " + std::to_string(place) +
                    " lie before the file");
    fields_ = static_cast<std::uint64_t>(fields);
    fields_size_ = file.read<std::uint16_t>(fields_);
    file.at(fields_, 1, std::uint64_t{fields_size_} + (fields_size_ == 0));
}

std::optional<std::uint64_t> Table::place_of(std::uint32_t field) const {
    const std::uint32_t entry = 4 + 2 * field;
    if (entry + 2 > fields_size_) return std::nullopt;
    const auto offset = file_->read<std::uint16_t>(fields_ + entry);
    if (offset == 0) return std::nullopt;
    return place_ + offset;
}

template <class Unsigned>
Unsigned Table::number(std::uint32_t field, Unsigned otherwise) const {
    const auto place = place_of(field);
    return place ? file_->read<Unsigned>(*place) : otherwise;
}

std::uint8_t Table::u8(std::uint32_t field, std::uint8_t otherwise) const {
    return number<std::uint8_t>(field, otherwise);
}
std::int32_t Table::i32(std::uint32_t field, std::int32_t otherwise) const {
    return static_cast<std::int32_t>(number<std::uint32_t>(field, static_cast<std::uint32_t>(otherwise)));
}
std::uint32_t Table::u32(std::uint32_t field, std::uint32_t otherwise) const {
    return number<std::uint32_t>(field, otherwise);
}

std::optional<Table> Table::table(std::uint32_t field) const {
    const auto place = place_of(field);
    if (!place) return std::nullopt;
    return Table(*file_, *place + file_->read<std::uint32_t>(*place));
}

io::ByteView Table::elements(std::uint32_t field, std::uint64_t size) const {
    const auto place = place_of(field);
    if (!place) return {};
    const std::uint64_t vector = *place + file_->read<std::uint32_t>(*place);
    return file_->at(vector + 4, file_->read<std::uint32_t>(vector), size);
}

std::string_view Table::text(std::uint32_t field) const {
    return io::as_text(elements(field, 1));
}
io::ByteView Table::bytes(std::uint32_t field) const {
    return elements(field, 1);
}

template <class Number>
std::vector<Number> Table::numbers(std::uint32_t field) const {
    using Unsigned = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
    const io::ByteView all = elements(field, sizeof(Number));
    std::vector<Number> result(all.size() / sizeof(Number));
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = std::bit_cast<Number>(io::read_little<Unsigned>(all.data() + i * sizeof(Number)));
    return result;
}

std::vector<std::int32_t> Table::i32s(std::uint32_t field) const {
    return numbers<std::int32_t>(field);
}
std::vector<std::int64_t> Table::i64s(std::uint32_t field) const {
    return numbers<std::int64_t>(field);
}
std::vector<float> Table::floats(std::uint32_t field) const {
    return numbers<float>(field);
}

std::vector<Table> Table::tables(std::uint32_t field) const {
    const io::ByteView all = elements(field, 4);
    const std::uint64_t first = static_cast<std::uint64_t>(all.data() - file_->bytes.data());
    std::vector<Table> result;
    for (std::uint64_t place = first; place < first + all.size(); place += 4)
        result.push_back(Table(*file_, place + file_->read<std::uint32_t>(place)));
    return result;
}

}  // namespace fearnet::flatbuffer
