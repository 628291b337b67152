// A small .npz file that unpacks to gigabytes.
#pragma once

#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "data/io/files.hpp"
#include "data/io/little_endian.hpp"
#include "data/io/npy.hpp"

namespace fearnet::test {

// Appends `input` to a raw deflate stream; after a full flush what follows does not depend on it.
inline void deflate_more(z_stream& z, io::ByteView input, int flush, io::Bytes& out) {
    io::Bytes room(deflateBound(&z, input.size()) + 64);
    z.next_in = const_cast<Bytef*>(input.data());
    z.avail_in = static_cast<uInt>(input.size());
    z.next_out = room.data();
    z.avail_out = static_cast<uInt>(room.size());
    deflate(&z, flush);
    out.insert(out.end(), room.begin(), room.end() - z.avail_out);
}

// Writes a valid archive with one array of zeros, called "x", of 16 features in `mebibytes` MiB. It takes
// about a thousandth on disk: one deflated block is repeated.
inline void write_npz_bomb(const std::filesystem::path& path, std::size_t mebibytes) {
    const io::Bytes zeros(1 << 20);
    const std::size_t rows = mebibytes * zeros.size() / 64;
    Matrix none(0, 16);
    std::string front(io::as_text(io::npy_from(none.view())));
    std::string shape = "(" + std::to_string(rows) + ",16,), }";
    const std::size_t at = front.find("(0,16,), }");
    front.replace(at, shape.size(), shape);  // over blanks

    z_stream z{};
    deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    io::Bytes packed, block, end;
    deflate_more(z, io::as_bytes(front), Z_FULL_FLUSH, packed);
    deflate_more(z, zeros, Z_FULL_FLUSH, block);
    deflate_more(z, {}, Z_FINISH, end);
    deflateEnd(&z);
    uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(front.data()), front.size());
    const uLong of_block = crc32_z(0, zeros.data(), zeros.size());
    for (std::size_t i = 0; i < mebibytes; ++i) {
        packed.insert(packed.end(), block.begin(), block.end());
        crc = crc32_combine(crc, of_block, static_cast<z_off_t>(zeros.size()));
    }
    packed.insert(packed.end(), end.begin(), end.end());

    const std::string name = "x.npy";
    io::Bytes common;  // to a local header and to an entry of the directory
    for (const unsigned field : {20u, 0u, 8u, 0u, 0x21u})
        io::append_little(common, static_cast<std::uint16_t>(field));
    io::append_little(common, static_cast<std::uint32_t>(crc));
    io::append_little(common, static_cast<std::uint32_t>(packed.size()));
    io::append_little(common, static_cast<std::uint32_t>(front.size() + mebibytes * zeros.size()));
    io::append_little(common, static_cast<std::uint16_t>(name.size()));
    io::append_little<std::uint16_t>(common, 0);

    io::Bytes archive;
    const auto append = [&](const auto& bytes) { archive.insert(archive.end(), bytes.begin(), bytes.end()); };
    io::append_little<std::uint32_t>(archive, 0x04034b50);
    append(common), append(name), append(packed);
    const auto directory = static_cast<std::uint32_t>(archive.size());
    io::append_little<std::uint32_t>(archive, 0x02014b50);
    io::append_little<std::uint16_t>(archive, 20);
    append(common), append(io::Bytes(14)), append(name);  // no comment, attributes; at offset 0
    const auto entry = static_cast<std::uint32_t>(archive.size()) - directory;
    io::append_little<std::uint32_t>(archive, 0x06054b50);
    for (const unsigned field : {0u, 0u, 1u, 1u})
        io::append_little(archive, static_cast<std::uint16_t>(field));
    io::append_little(archive, entry);
    io::append_little(archive, directory);
    io::append_little<std::uint16_t>(archive, 0);
    std::ofstream(path, std::ios::binary) << io::as_text(archive);
}

}  // namespace fearnet::test
