#include "core/brain/array_rows.hpp"

#include <limits>
#include <optional>
#include <set>

#include "core/brain/checksum.hpp"
#include "core/brain/schema.hpp"

namespace fearnet {
namespace {

// Names of the types in the file, by the alternative of ArrayValues. Part of the format: never change them.
constexpr std::int64_t kFloat32 = 1, kInt8 = 2, kInt16 = 3, kInt64 = 4, kFloat64 = 5;

struct Header {
    std::int64_t kind = 0, type = 0, rows = 0, columns = 0;

    std::int64_t checksum(std::string_view name) const {
        Checksum sum = checksum_of_row("arrays", name);
        for (const std::int64_t word : {kind, type, rows, columns}) sum.add(static_cast<std::uint64_t>(word));
        return sum.value();
    }
};

std::int64_t block_checksum(const std::string& name, io::ByteView data) {
    Checksum sum = checksum_of_row("blocks", name);
    sum.add(data);
    return sum.value();
}

template <class T>
constexpr std::int64_t type_of() {
    if (std::is_same_v<T, std::int8_t>) return kInt8;
    if (std::is_same_v<T, std::int16_t>) return kInt16;
    if (std::is_same_v<T, std::int64_t>) return kInt64;
    return kFloat64;
}

Header header_of(const Matrix& m) {
    return {0, kFloat32, static_cast<std::int64_t>(m.rows()), static_cast<std::int64_t>(m.cols())};
}
template <class T>
Header header_of(const std::vector<T>& list) {
    return {0, type_of<T>(), 1, static_cast<std::int64_t>(list.size())};
}

io::ByteView bytes_of(const Matrix& m) {
    return {reinterpret_cast<const std::uint8_t*>(m.data()), m.bytes()};
}
template <class T>
io::ByteView bytes_of(const std::vector<T>& list) {
    return {reinterpret_cast<const std::uint8_t*>(list.data()), list.size() * sizeof(T)};
}

ContentRow header_row(const std::string& name, const Header& header) {
    const std::int64_t checksum = header.checksum(name);
    return {"arrays", name, checksum, [=](const io::Database& db) {
                io::Statement(db, "INSERT OR REPLACE INTO arrays VALUES (?, ?, ?, ?, ?, ?)")
                    .bind(1, std::string_view(name))
                    .bind(2, header.kind)
                    .bind(3, header.type)
                    .bind(4, header.rows)
                    .bind(5, header.columns)
                    .bind(6, checksum)
                    .run();
            }};
}

ContentRow block_row(const std::string& array, std::int64_t number, io::ByteView data) {
    const std::string name = block_name(array, number);
    const std::int64_t checksum = block_checksum(name, data);
    return {"blocks", name, checksum, [=](const io::Database& db) {
                io::Statement(db, "INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)")
                    .bind(1, std::string_view(array))
                    .bind(2, number)
                    .bind(3, data)
                    .bind(4, checksum)
                    .run();
            }};
}

// Number of bytes that a header announces; none if the header is not valid.
std::optional<std::uint64_t> announced(const Header& h) {
    constexpr std::uint64_t kMaxSide = std::uint64_t{1} << 40;
    const auto rows = static_cast<std::uint64_t>(h.rows), columns = static_cast<std::uint64_t>(h.columns);
    if (h.kind < 0 || h.kind > static_cast<std::int64_t>(ArrayKind::examples)) return std::nullopt;
    if (h.rows < 0 || h.columns < 0 || rows > kMaxSide || columns > kMaxSide) return std::nullopt;
    if (h.type != kFloat32 && h.rows != 1) return std::nullopt;
    const std::uint64_t size = h.type == kFloat32   ? sizeof(float)
                               : h.type == kInt8    ? sizeof(std::int8_t)
                               : h.type == kInt16   ? sizeof(std::int16_t)
                               : h.type == kInt64   ? sizeof(std::int64_t)
                               : h.type == kFloat64 ? sizeof(double)
                                                    : 0;
    if (size == 0) return std::nullopt;
    if (rows != 0 && columns > std::numeric_limits<std::int64_t>::max() / size / rows) return std::nullopt;
    return rows * columns * size;
}

class Reader {
  public:
    Reader(const io::Database& database, const RowCheck& check) : database_(database), check_(check) {}

    void read(State& state) {
        std::set<std::string> names;
        io::Statement rows(
            database_,
            "SELECT name, kind, type, row_count, column_count, checksum FROM arrays ORDER BY name");
        while (rows.step()) {
            const std::string name(rows.text(0));
            const Header header{rows.integer(1), rows.integer(2), rows.integer(3), rows.integer(4)};
            check_.found("arrays", name, rows.integer(5), header.checksum(name));
            names.insert(name);
            const std::optional<std::uint64_t> bytes = announced(header);
            const std::uint64_t there = stored_bytes(name);
            if (!bytes || *bytes != there) {
                check_.damaged("arrays '" + name + "': " + std::to_string(header.rows) + " x " +
                               std::to_string(header.columns) + " elements of type " +
                               std::to_string(header.type) + " in " + std::to_string(there) + " bytes");
                continue;
            }
            state.set(name, values(name, header), ArrayKind{header.kind});
        }
        io::Statement strays(database_, "SELECT DISTINCT array FROM blocks");
        while (strays.step())
            if (const std::string name(strays.text(0)); !names.contains(name))
                check_.damaged("blocks '" + name + "': there is no such array");
    }

  private:
    std::uint64_t stored_bytes(const std::string& array) const {
        io::Statement sum(database_, "SELECT coalesce(sum(length(data)), 0) FROM blocks WHERE array = ?");
        sum.bind(1, std::string_view(array));
        return sum.step() ? static_cast<std::uint64_t>(sum.integer(0)) : 0;
    }
    // Copies the blocks of an array one after another; together they have `size` bytes.
    void copy_blocks(const std::string& array, void* to, std::size_t size) const {
        io::Statement rows(database_,
                           "SELECT number, data, checksum FROM blocks WHERE array = ? ORDER BY number");
        rows.bind(1, std::string_view(array));
        std::size_t at = 0;
        for (std::int64_t expected = 0; rows.step(); ++expected) {
            const std::string name = block_name(array, rows.integer(0));
            const io::ByteView data = rows.bytes(1);
            check_.found("blocks", name, rows.integer(2), block_checksum(name, data));
            if (rows.integer(0) != expected || data.size() != std::min(kBlockBytes, size - at))
                check_.damaged("blocks '" + name + "': block " + std::to_string(expected) + " of " +
                               std::to_string(std::min(kBlockBytes, size - at)) + " bytes comes next, not " +
                               std::to_string(data.size()) + " bytes");
            const std::size_t fits = std::min(data.size(), size - at);
            if (fits > 0) std::memcpy(static_cast<char*>(to) + at, data.data(), fits);
            at += fits;
        }
    }
    template <class T>
    std::vector<T> list(const std::string& name, const Header& h) const {
        std::vector<T> values(static_cast<std::size_t>(h.columns));
        copy_blocks(name, values.data(), values.size() * sizeof(T));
        return values;
    }
    ArrayValues values(const std::string& name, const Header& h) const {
        if (h.type == kInt8) return list<std::int8_t>(name, h);
        if (h.type == kInt16) return list<std::int16_t>(name, h);
        if (h.type == kInt64) return list<std::int64_t>(name, h);
        if (h.type == kFloat64) return list<double>(name, h);
        Matrix m;
        m.resize(static_cast<std::size_t>(h.rows), static_cast<std::size_t>(h.columns));
        copy_blocks(name, m.data(), m.bytes());
        return m;
    }

    const io::Database& database_;
    const RowCheck& check_;
};

}  // namespace

std::string block_name(const std::string& array, std::int64_t number) {
    return array + "/" + std::to_string(number);
}

void delete_block(const io::Database& database, const std::string& name) {
    const std::size_t slash = name.rfind('/');
    io::Statement(database, "DELETE FROM blocks WHERE array = ? AND number = ?")
        .bind(1, std::string_view(name).substr(0, slash))
        .bind(2, std::string_view(name).substr(slash + 1))
        .run();
}

void add_array_rows(const std::string& name, const StateArray& array, std::vector<ContentRow>& rows) {
    Header header = std::visit([](const auto& values) { return header_of(values); }, array.values);
    header.kind = static_cast<std::int64_t>(array.kind);
    rows.push_back(header_row(name, header));
    const io::ByteView bytes = std::visit([](const auto& values) { return bytes_of(values); }, array.values);
    for (std::size_t at = 0, number = 0; at < bytes.size(); at += kBlockBytes, ++number)
        rows.push_back(block_row(name, static_cast<std::int64_t>(number),
                                 bytes.subspan(at, std::min(kBlockBytes, bytes.size() - at))));
}

void read_arrays(const io::Database& database, const RowCheck& check, State& state) {
    Reader(database, check).read(state);
}

}  // namespace fearnet
