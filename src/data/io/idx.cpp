#include "data/io/idx.hpp"

#include "data/io/deflate.hpp"
#include "fearnet/error.hpp"

namespace fearnet::io {
namespace {

// Two zero bytes, the element type, the number of dimensions, then each dimension as a big-endian 32-bit
// number.
constexpr std::size_t kPreamble = 4;

ElementType type_of(int code, const std::string& what) {
    switch (code) {
        case 0x08:
            return {ElementKind::kUnsigned, 1, true};
        case 0x09:
            return {ElementKind::kSigned, 1, true};
        case 0x0b:
            return {ElementKind::kSigned, 2, true};
        case 0x0c:
            return {ElementKind::kSigned, 4, true};
        case 0x0d:
            return {ElementKind::kFloat, 4, true};
        case 0x0e:
            return {ElementKind::kFloat, 8, true};
        default:
            throw Error(what + ": IDX element type " + std::to_string(code) +
                        "; known are 8, 9, 11, 12, 13 and 14");
    }
}

}  // namespace

Array read_idx(const std::filesystem::path& path, std::uint64_t max_bytes) {
    return parse_idx(read_maybe_gzip(path, max_bytes), path.string());
}

Array parse_idx(ByteView file, const std::string& what) {
    if (file.size() < kPreamble || file[0] != 0 || file[1] != 0)
        throw Error(what +
                    ": not an IDX file (it does not start with two zero bytes, a type and a dimension)");
    const ElementType type = type_of(file[2], what);
    const std::size_t start = kPreamble + 4 * std::size_t{file[3]};
    if (file.size() < start)
        throw Error(what + ": the IDX header needs " + std::to_string(start) + " bytes but only " +
                    std::to_string(file.size()) + " are there");
    std::vector<std::size_t> shape;
    for (std::size_t at = kPreamble; at < start; at += 4)
        shape.push_back(std::size_t{file[at]} << 24 | std::size_t{file[at + 1]} << 16 |
                        std::size_t{file[at + 2]} << 8 | file[at + 3]);
    const ByteView data = file.subspan(start);
    check_shape(type, shape, data.size(), what);
    return {type, shape, false, Bytes(data.begin(), data.end()), what};
}

}  // namespace fearnet::io
