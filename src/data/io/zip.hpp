// Zip archives, as much as .npz files need: stored and deflated members, zip64 when reading.
#pragma once

#include <string>
#include <vector>

#include "data/io/files.hpp"

namespace fearnet::io {

// One member as the central directory describes it. Refers to the archive's bytes.
struct ZipMember {
    std::string name;
    bool deflated = false;
    std::uint32_t crc = 0;
    std::uint64_t size = 0;  // unpacked
    ByteView packed;
};

// The members in directory order. Throws Error starting with `what` when the archive is truncated, damaged,
// split, encrypted, packed in another way or holds one name twice.
std::vector<ZipMember> list_zip(ByteView archive, const std::string& what);

// The member's contents, checked against its CRC. Throws Error starting with `what`.
Bytes unzip(const ZipMember& member, const std::string& what);

// The first `count` bytes of its contents, or all when there are fewer; the CRC is not checked.
Bytes unzip_front(const ZipMember& member, std::size_t count, const std::string& what);

// Collects members and gives the archive. The same members always give the same bytes.
class ZipWriter {
  public:
    // Throws Error when a member or the archive passes 4 GiB or the name is longer than a zip can say.
    void add(const std::string& name, ByteView contents, bool deflated);
    Bytes finish();

  private:
    Bytes archive_;
    Bytes directory_;
    std::size_t members_ = 0;
};

}  // namespace fearnet::io
