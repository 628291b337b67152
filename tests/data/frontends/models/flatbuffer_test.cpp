// Reading FlatBuffers. The bytes are laid out by hand after the format's description.
#include "data/frontends/models/flatbuffer.hpp"

#include "support/data_files.hpp"
#include "support/media_files.hpp"

namespace fearnet::flatbuffer {
namespace {

using test::expect_error;
using test::little;

// A table with: field 0 a byte, 1 left out, 2 a number of 32 bits, 3 a text, 4 a vector of floats, 5 a vector
// of tables (twice the same), 6 the inner table, which has one field, a number.
constexpr std::size_t kList = 8, kTable = 28;

std::string example() {
    std::string file = little(kTable, 4) + "TEST";
    // The list of fields: its size, the table's size, and where each field is in the table.
    for (const int entry : {18, 28, 4, 0, 8, 12, 16, 20, 24})
        file += little(static_cast<std::uint64_t>(entry), 2);
    file += std::string(2, '\0');                    // at 26: to a multiple of four
    file += little(kTable - kList, 4);               // at 28: the table; how far back its list is
    file += "\x07" + std::string(3, '\0');           // at 32: field 0
    file += little(0xfffffffe, 4);                   // at 36: field 2, -2
    file += little(56 - 40, 4);                      // at 40: field 3
    file += little(64 - 44, 4);                      // at 44: field 4
    file += little(76 - 48, 4);                      // at 48: field 5
    file += little(96 - 52, 4);                      // at 52: field 6
    file += little(3, 4) + std::string("abc\0", 4);  // at 56: the text
    file += little(2, 4) + little(0x3f800000, 4) + little(0xc0000000, 4);       // at 64: the floats 1 and -2
    file += little(2, 4) + little(96 - 80, 4) + little(96 - 84, 4);             // at 76: the tables
    file += little(6, 2) + little(8, 2) + little(4, 2) + std::string(2, '\0');  // at 88: the inner list
    file += little(96 - 88, 4) + little(41, 4);                                 // at 96: the inner table
    return file;
}

Table root_of(const File& file) {
    return Table::root(file, "TEST");
}

TEST(Flatbuffer, every_kind_of_field_is_read) {
    const std::string bytes = example();
    const File file{io::as_bytes(bytes), "f"};
    const Table table = root_of(file);
    EXPECT_EQ(table.u8(0), 7);
    EXPECT_EQ(table.i32(2), -2);
    EXPECT_EQ(table.text(3), "abc");
    EXPECT_EQ(table.floats(4), (std::vector<float>{1, -2}));
    EXPECT_EQ(table.bytes(4).size(), 2u);
    EXPECT_EQ(table.i32s(4), (std::vector<std::int32_t>{0x3f800000, static_cast<std::int32_t>(0xc0000000)}));
    ASSERT_EQ(table.tables(5).size(), 2u);
    EXPECT_EQ(table.tables(5)[1].u32(0), 41u);
    ASSERT_TRUE(table.table(6));
    EXPECT_EQ(table.table(6)->u32(0), 41u);
}

TEST(Flatbuffer, fields_that_are_left_out_have_their_default) {
    const std::string bytes = example();
    const File file{io::as_bytes(bytes), "f"};
    const Table table = root_of(file);
    for (const std::uint32_t field : {1u, 7u, 1000u}) {
        EXPECT_EQ(table.u8(field, 9), 9);
        EXPECT_EQ(table.i32(field, -3), -3);
        EXPECT_FALSE(table.table(field));
        EXPECT_EQ(table.text(field), "");
        EXPECT_TRUE(table.floats(field).empty());
        EXPECT_TRUE(table.tables(field).empty());
    }
}

TEST(Flatbuffer, another_identifier_is_refused) {
    for (const std::string& bytes :
         {std::string(), std::string("TEST"), "\4\0\0\0TES" + example().substr(7, 0),
          little(28, 4) + "TFL3" + example().substr(8)})
        expect_error([&] { root_of({io::as_bytes(bytes), "f"}); }, {"f: not a file of type TEST"});
}

TEST(Flatbuffer, offsets_and_lengths_that_leave_the_file_are_refused) {
    const auto read_all = [](const std::string& bytes) {
        const File file{io::as_bytes(bytes), "f"};
        const Table table = root_of(file);
        table.u8(0), table.i32(2), table.text(3), table.floats(4), table.tables(5);
        if (const auto inner = table.table(6)) inner->u32(0);
    };
    const auto with = [](std::size_t at, std::uint64_t value, int size) {
        std::string bytes = example();
        return bytes.replace(at, static_cast<std::size_t>(size), little(value, size));
    };
    EXPECT_NO_THROW(read_all(example()));
    for (const std::uint64_t far : {200ull, 0x7fffffffull, 0xffffffffull})
        for (const std::size_t at : {0u, 40u, 44u, 48u, 52u, 56u, 64u, 76u, 80u}) {
            SCOPED_TRACE(at);
            expect_error([&] { read_all(with(at, far, 4)); }, {"f: damaged"});
        }
    expect_error([&] { read_all(with(kTable, 100, 4)); }, {"lie before the file"});
    expect_error([&] { read_all(with(kTable, 0x80000000, 4)); }, {"f: damaged"});
    expect_error([&] { read_all(with(kList, 0xffff, 2)); }, {"f: damaged"});
    expect_error([&] { read_all(with(kList + 8, 0xffff, 2)); }, {"f: damaged"});
}

TEST(Flatbuffer, damage_anywhere_ends_in_a_value_or_an_error) {
    const std::string bytes = example();
    test::read_damaged({bytes.begin(), bytes.end()}, [](const io::Bytes& damaged) {
        const File file{damaged, "f"};
        const Table table = root_of(file);
        table.i32(2), table.text(3), table.floats(4), table.i64s(4), table.tables(5), table.table(6);
    });
}

}  // namespace
}  // namespace fearnet::flatbuffer
