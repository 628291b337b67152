#include "data/frontends/media/exif.hpp"

#include "data/io/little_endian.hpp"

namespace fearnet {
namespace {

constexpr std::string_view kPrefix{"Exif\0\0", 6};

// Numbers of either byte order; what lies outside of the block reads as 0.
class Tiff {
  public:
    explicit Tiff(io::ByteView block) : block_(block) {
        const std::string_view mark = io::as_text(block).substr(0, 4);
        little_ = mark == std::string_view("II*\0", 4);
        valid_ = little_ || mark == std::string_view("MM\0*", 4);
    }
    bool valid() const { return valid_; }
    std::uint32_t number(std::uint64_t at, unsigned size) const {
        if (at + size > block_.size()) return 0;
        std::uint32_t value = 0;
        for (unsigned i = 0; i < size; ++i)
            value = value << 8 | block_[static_cast<std::size_t>(at + (little_ ? size - 1 - i : i))];
        return value;
    }

  private:
    io::ByteView block_;
    bool little_ = false, valid_ = false;
};

}  // namespace

int exif_orientation(io::ByteView block) {
    if (io::as_text(block).starts_with(kPrefix)) block = block.subspan(kPrefix.size());
    const Tiff tiff(block);
    if (!tiff.valid()) return 1;
    constexpr std::uint32_t kOrientation = 0x0112, kShort = 3, kEntryBytes = 12;
    const std::uint64_t directory = tiff.number(4, 4);
    const std::uint32_t entries = tiff.number(directory, 2);
    for (std::uint32_t i = 0; i < entries; ++i) {
        const std::uint64_t entry = directory + 2 + std::uint64_t{kEntryBytes} * i;
        if (tiff.number(entry, 2) != kOrientation) continue;
        const std::uint32_t value = tiff.number(entry + 8, 2);
        return tiff.number(entry + 2, 2) == kShort && value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
    return 1;
}

io::ByteView exif_in_jpeg(io::ByteView bytes) {
    constexpr std::uint8_t kStartOfScan = 0xda, kApp1 = 0xe1;
    std::size_t at = 2;
    while (at + 4 <= bytes.size() && bytes[at] == 0xff) {
        const std::uint8_t marker = bytes[at + 1];
        if (marker == 0xff) {  // filler
            ++at;
            continue;
        }
        const std::size_t length = std::size_t{bytes[at + 2]} << 8 | bytes[at + 3];
        if (marker == kStartOfScan || length < 2 || length > bytes.size() - at - 2) break;
        const io::ByteView segment = bytes.subspan(at + 4, length - 2);
        if (marker == kApp1 && io::as_text(segment).starts_with(kPrefix)) return segment;
        at += 2 + length;
    }
    return {};
}

io::ByteView exif_in_webp(io::ByteView bytes) {
    constexpr std::size_t kHeader = 12, kChunkHeader = 8;
    for (std::uint64_t at = kHeader; at + kChunkHeader <= bytes.size();) {
        const io::ByteView rest = bytes.subspan(static_cast<std::size_t>(at));
        const auto length = io::read_little<std::uint32_t>(rest.data() + 4);
        if (length > rest.size() - kChunkHeader) break;
        if (io::as_text(rest).starts_with("EXIF")) return rest.subspan(kChunkHeader, length);
        at += kChunkHeader + std::uint64_t{length} + length % 2;
    }
    return {};
}

}  // namespace fearnet
