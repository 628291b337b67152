#include "data/io/zip.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "data/io/deflate.hpp"
#include "data/io/little_endian.hpp"
#include "fearnet/error.hpp"

namespace fearnet::io {
namespace {

// Signatures, sizes and offsets are those of PKWARE's APPNOTE 6.3.
constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryEntry = 0x02014b50;
constexpr std::uint32_t kDirectoryEnd = 0x06054b50;
constexpr std::uint32_t kZip64End = 0x06064b50;
constexpr std::uint32_t kZip64Locator = 0x07064b50;
constexpr std::size_t kLocalHeaderSize = 30;
constexpr std::size_t kDirectoryEntrySize = 46;
constexpr std::size_t kDirectoryEndSize = 22;
constexpr std::size_t kZip64EndSize = 56;
constexpr std::size_t kZip64LocatorSize = 20;
constexpr std::size_t kLongestComment = 0xffff;
constexpr std::uint16_t kZip64Extra = 1;
constexpr std::uint32_t kInZip64 = 0xffffffff;
constexpr std::uint16_t kEncrypted = 1;
constexpr std::uint16_t kUtf8Name = 1 << 11;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;

std::uint16_t u16(ByteView b, std::size_t at) {
    return read_little<std::uint16_t>(b.data() + at);
}
std::uint32_t u32(ByteView b, std::size_t at) {
    return read_little<std::uint32_t>(b.data() + at);
}
std::uint64_t u64(ByteView b, std::size_t at) {
    return read_little<std::uint64_t>(b.data() + at);
}

struct Directory {
    std::uint64_t entries = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

class Reader {
  public:
    Reader(ByteView archive, const std::string& what) : archive_(archive), what_(what) {}

    std::vector<ZipMember> members() const {
        const Directory directory = find_directory();
        const ByteView all = slice(directory.offset, directory.size, "directory");
        // No more entries than fit: a count of 10^18 must not reserve anything.
        if (directory.entries > all.size() / kDirectoryEntrySize)
            fail("the directory announces " + std::to_string(directory.entries) + " members in " +
                 std::to_string(all.size()) + " bytes");
        std::vector<ZipMember> result;
        std::set<std::string> names;
        std::size_t at = 0;
        for (std::uint64_t i = 0; i < directory.entries; ++i) {
            result.push_back(member(all, at));
            if (!names.insert(result.back().name).second) fail("holds '" + result.back().name + "' twice");
        }
        return result;
    }

  private:
    [[noreturn]] void fail(const std::string& message) const { throw Error(what_ + ": " + message); }

    ByteView slice(std::uint64_t offset, std::uint64_t size, const char* of) const {
        if (offset > archive_.size() || size > archive_.size() - offset)
            fail(std::string("the ") + of + " should be " + std::to_string(size) + " bytes at " +
                 std::to_string(offset) + " but the file has " + std::to_string(archive_.size()));
        return archive_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
    }

    // The end record is followed only by a comment, whose length it states.
    std::optional<std::size_t> find_end() const {
        if (archive_.size() < kDirectoryEndSize) return {};
        const std::size_t last = archive_.size() - kDirectoryEndSize;
        for (std::size_t comment = 0; comment <= std::min(last, kLongestComment); ++comment)
            if (u32(archive_, last - comment) == kDirectoryEnd &&
                u16(archive_, last - comment + 20) == comment)
                return last - comment;
        return {};
    }

    Directory find_directory() const {
        const std::optional<std::size_t> end = find_end();
        if (!end) fail("not a complete zip archive: no end record (is the file truncated?)");
        const ByteView record = archive_.subspan(*end);
        Directory found{u16(record, 10), u32(record, 16), u32(record, 12)};
        if (*end >= kZip64LocatorSize && u32(archive_, *end - kZip64LocatorSize) == kZip64Locator) {
            const ByteView big =
                slice(u64(archive_, *end - kZip64LocatorSize + 8), kZip64EndSize, "zip64 end record");
            if (u32(big, 0) != kZip64End) fail("the zip64 end record is damaged");
            found = {u64(big, 32), u64(big, 48), u64(big, 40)};
        } else if (u16(record, 4) != 0 || u16(record, 6) != 0 || u16(record, 8) != u16(record, 10)) {
            fail("archives in several parts are not read");
        }
        return found;
    }

    // Reads the entry at `at` and moves `at` behind it.
    ZipMember member(ByteView directory, std::size_t& at) const {
        if (directory.size() - at < kDirectoryEntrySize || u32(directory, at) != kDirectoryEntry)
            fail("the directory is damaged at byte " + std::to_string(at));
        const ByteView entry = directory.subspan(at);
        const std::size_t name = u16(entry, 28), extra = u16(entry, 30), comment = u16(entry, 32);
        if (entry.size() < kDirectoryEntrySize + name + extra + comment) fail("the directory is truncated");
        at += kDirectoryEntrySize + name + extra + comment;

        ZipMember result;
        result.name = as_text(entry.subspan(kDirectoryEntrySize, name));
        const std::string where = "member '" + result.name + "'";
        if (u16(entry, 8) & kEncrypted) fail(where + " is encrypted");
        const std::uint16_t method = u16(entry, 10);
        if (method != kStored && method != kDeflated)
            fail(where + " is packed with method " + std::to_string(method) +
                 "; only stored (0) and deflated (8) are read");
        result.deflated = method == kDeflated;
        result.crc = u32(entry, 16);
        result.size = u32(entry, 24);
        std::uint64_t packed = u32(entry, 20), offset = u32(entry, 42);
        read_zip64(entry.subspan(kDirectoryEntrySize + name, extra), result.size, packed, offset, where);

        const ByteView local = slice(offset, kLocalHeaderSize, "header of a member");
        if (u32(local, 0) != kLocalHeader) fail(where + " does not start with a local header");
        const std::uint64_t data = offset + kLocalHeaderSize + u16(local, 26) + u16(local, 28);
        result.packed = slice(data, packed, "data of a member");
        if (!result.deflated && result.size != packed)
            fail(where + " is stored in " + std::to_string(packed) + " bytes but has " +
                 std::to_string(result.size));
        return result;
    }

    // The 64-bit fields stand only for those that are all ones in the entry, in this order.
    void read_zip64(ByteView extra, std::uint64_t& size, std::uint64_t& packed, std::uint64_t& offset,
                    const std::string& where) const {
        if (size != kInZip64 && packed != kInZip64 && offset != kInZip64) return;
        while (extra.size() >= 4) {
            const std::size_t length = u16(extra, 2);
            if (extra.size() - 4 < length) break;
            ByteView field = extra.subspan(4, length);
            if (u16(extra, 0) == kZip64Extra) {
                for (std::uint64_t* value : {&size, &packed, &offset}) {
                    if (*value != kInZip64) continue;
                    if (field.size() < 8) fail(where + ": its zip64 sizes are truncated");
                    *value = u64(field, 0);
                    field = field.subspan(8);
                }
                return;
            }
            extra = extra.subspan(4 + length);
        }
        fail(where + ": its zip64 sizes are missing");
    }

    ByteView archive_;
    const std::string& what_;
};

std::uint32_t size32(std::size_t size, const std::string& name) {
    if (size >= kInZip64)
        throw Error("ZipWriter::add: '" + name + "' exceeds the 4 GiB that a zip archive can hold");
    return static_cast<std::uint32_t>(size);
}

}  // namespace

std::vector<ZipMember> list_zip(ByteView archive, const std::string& what) {
    return Reader(archive, what).members();
}

Bytes unzip(const ZipMember& member, const std::string& what) {
    const std::string where = what + ": member '" + member.name + "'";
    Bytes contents = member.deflated ? inflate_raw(member.packed, member.size, where)
                                     : Bytes(member.packed.begin(), member.packed.end());
    if (const std::uint32_t crc = crc32_of(contents); crc != member.crc)
        throw Error(where + ": its CRC is " + std::to_string(crc) + " but " + std::to_string(member.crc) +
                    " was announced; the file is damaged");
    return contents;
}

Bytes unzip_front(const ZipMember& member, std::size_t count, const std::string& what) {
    if (member.deflated) return inflate_front(member.packed, count, what + ": member '" + member.name + "'");
    const ByteView front = member.packed.first(std::min(count, member.packed.size()));
    return {front.begin(), front.end()};
}

void ZipWriter::add(const std::string& name, ByteView contents, bool deflated) {
    if (name.size() > std::numeric_limits<std::uint16_t>::max() || members_ + 1 >= 0xffff)
        throw Error("ZipWriter::add: a name of " + std::to_string(name.size()) + " bytes, member " +
                    std::to_string(members_ + 1) + ": more than a zip archive can hold");
    const Bytes packed = deflated ? deflate_raw(contents) : Bytes();
    const ByteView data = deflated ? ByteView(packed) : contents;
    const std::uint32_t offset = size32(archive_.size(), name);

    // The fields a local header and a directory entry share. The time is fixed (1980-01-01), so that equal
    // contents give equal files.
    Bytes common;
    append_little<std::uint16_t>(common, 20);
    append_little<std::uint16_t>(common, kUtf8Name);
    append_little<std::uint16_t>(common, deflated ? kDeflated : kStored);
    append_little<std::uint32_t>(common, 0x00210000);
    append_little<std::uint32_t>(common, crc32_of(contents));
    append_little<std::uint32_t>(common, size32(data.size(), name));
    append_little<std::uint32_t>(common, size32(contents.size(), name));
    append_little<std::uint16_t>(common, static_cast<std::uint16_t>(name.size()));
    append_little<std::uint16_t>(common, 0);

    append_little(archive_, kLocalHeader);
    archive_.insert(archive_.end(), common.begin(), common.end());
    archive_.insert(archive_.end(), name.begin(), name.end());
    archive_.insert(archive_.end(), data.begin(), data.end());

    append_little(directory_, kDirectoryEntry);
    append_little<std::uint16_t>(directory_, 20);
    directory_.insert(directory_.end(), common.begin(), common.end());
    directory_.insert(directory_.end(), 10, 0);  // comment, disk, attributes
    append_little(directory_, offset);
    directory_.insert(directory_.end(), name.begin(), name.end());
    ++members_;
}

Bytes ZipWriter::finish() {
    const std::uint32_t offset = size32(archive_.size(), "directory");
    const std::uint32_t size = size32(directory_.size(), "directory");
    archive_.insert(archive_.end(), directory_.begin(), directory_.end());
    append_little(archive_, kDirectoryEnd);
    append_little<std::uint32_t>(archive_, 0);
    append_little<std::uint16_t>(archive_, static_cast<std::uint16_t>(members_));
    append_little<std::uint16_t>(archive_, static_cast<std::uint16_t>(members_));
    append_little(archive_, size);
    append_little(archive_, offset);
    append_little<std::uint16_t>(archive_, 0);
    return std::move(archive_);
}

}  // namespace fearnet::io
