// Changes zip archives and puts their checksums right again: otherwise hardly anything that libFuzzer makes
// would come further than the CRC.
#include <algorithm>
#include <string_view>

#include "data/io/deflate.hpp"
#include "data/io/little_endian.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace fearnet::io;

constexpr std::string_view kDirectoryEntry = "PK\x01\x02";
constexpr std::size_t kEntrySize = 46, kLocalSize = 30;

// Of one directory entry, when its member is stored and lies within the archive.
void repair_checksum(std::uint8_t* archive, std::size_t size, std::size_t entry) {
    const auto u16 = [&](std::size_t at) { return read_little<std::uint16_t>(archive + at); };
    const auto u32 = [&](std::size_t at) -> std::size_t { return read_little<std::uint32_t>(archive + at); };
    const std::size_t packed = u32(entry + 20), offset = u32(entry + 42);
    if (u16(entry + 10) != 0 || offset + kLocalSize > size) return;
    const std::size_t data = offset + kLocalSize + u16(offset + 26) + u16(offset + 28);
    if (data > size || packed > size - data) return;
    Bytes crc;
    append_little(crc, crc32_of({archive + data, packed}));
    std::copy(crc.begin(), crc.end(), archive + entry + 16);
}

void repair_checksums(std::uint8_t* archive, std::size_t size) {
    const std::string_view text = as_text({archive, size});
    for (std::size_t at = 0; (at = text.find(kDirectoryEntry, at)) != text.npos && at + kEntrySize <= size;
         ++at)
        repair_checksum(archive, size, at);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    const std::size_t changed = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 8 != 0) repair_checksums(data, changed);
    return changed;
}
