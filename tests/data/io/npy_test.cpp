#include "data/io/npy.hpp"

#include <cmath>

#include "support/data_files.hpp"

namespace fearnet::io {
namespace {

using test::expect_error;
using test::TempFolder;

// A version 1 file as the format's description has it: magic, version, header length, header, data.
Bytes npy(const std::string& header, std::string_view data) {
    std::string file = "\x93NUMPY";
    file += '\1';
    file += '\0';
    file += static_cast<char>(header.size() % 256);
    file += static_cast<char>(header.size() / 256);
    file.append(header).append(data);
    return Bytes(file.begin(), file.end());
}

Bytes npy(const std::string& descr, const std::string& shape, std::string_view data) {
    return npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n", data);
}

Array array_of(const Bytes& file) {
    return parse_npy(file, "a.npy");
}

TEST(Npy, reads_hand_made_float32_bytes) {
    // 1.0f is 0x3f800000 and -2.5f is 0xc0200000.
    const Matrix m =
        to_matrix(array_of(npy("<f4", "(1, 2)", std::string_view("\0\0\x80\x3f\0\0\x20\xc0", 8))));
    ASSERT_EQ(m.rows(), 1u);
    ASSERT_EQ(m.cols(), 2u);
    EXPECT_EQ(m(0, 0), 1.0f);
    EXPECT_EQ(m(0, 1), -2.5f);
}

TEST(Npy, reads_hand_made_half_precision_bytes) {
    // 1.0, the smallest subnormal 2^-24, the largest 65504, -infinity.
    const Matrix m = to_matrix(array_of(npy("<f2", "(4,)", std::string_view("\0\x3c\1\0\xff\x7b\0\xfc", 8))));
    EXPECT_EQ(m(0, 0), 1.0f);
    EXPECT_EQ(m(1, 0), std::ldexp(1.0f, -24));
    EXPECT_EQ(m(2, 0), 65504.0f);
    EXPECT_EQ(m(3, 0), -INFINITY);
}

TEST(Npy, reads_hand_made_integers_of_either_byte_order_with_sign) {
    EXPECT_EQ(to_integers(array_of(npy(">i2", "(2,)", std::string_view("\xff\xfe\1\0", 4)))),
              (std::vector<std::int64_t>{-2, 256}));
    EXPECT_EQ(to_integers(array_of(npy("<i2", "(2,)", std::string_view("\xfe\xff\0\1", 4)))),
              (std::vector<std::int64_t>{-2, 256}));
    EXPECT_EQ(to_integers(array_of(npy("|u1", "(2L,)", "\x80\x01"))), (std::vector<std::int64_t>{128, 1}));
}

TEST(Npy, reads_what_numpy_saves_in_every_type_and_order) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    run_numpy(folder, R"(
a = np.arange(12).reshape(3, 4)
for t in 'f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8'.split():
    for e in '<>':
        for o in 'CF':
            np.save(f'{t}{"lb"[e == ">"]}{o}.npy', np.array(a, dtype=e + t, order=o)))");
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        const Matrix m = to_matrix(parse_npy(read_file(entry.path()), entry.path().string()));
        ASSERT_EQ(m.rows(), 3u) << entry.path();
        ASSERT_EQ(m.cols(), 4u) << entry.path();
        for (std::size_t k = 0; k < 12; ++k) ASSERT_EQ(m.data()[k], static_cast<float>(k)) << entry.path();
        ++files;
    }
    EXPECT_EQ(files, 44);
}

TEST(Npy, flattens_trailing_dimensions_last_fastest_in_both_orders) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    run_numpy(folder, R"(
a = np.arange(120, dtype='f4').reshape(2, 3, 4, 5)
np.save('c.npy', a); np.save('f.npy', np.asfortranarray(a)); np.save('b.npy', np.array([True, False])))");
    for (const char* name : {"c.npy", "f.npy"}) {
        const Matrix m = to_matrix(parse_npy(read_file(folder / name), name));
        ASSERT_EQ(m.rows(), 2u);
        ASSERT_EQ(m.cols(), 60u);
        for (std::size_t k = 0; k < 120; ++k) ASSERT_EQ(m.data()[k], static_cast<float>(k)) << name;
    }
    EXPECT_EQ(to_integers(parse_npy(read_file(folder / "b.npy"), "b")), (std::vector<std::int64_t>{1, 0}));
}

TEST(Npy, reads_text_numpy_saves_as_unicode_or_bytes) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    run_numpy(folder, R"(
a = np.array(['chat', '', '\u00e9t\u00e9', '\u732b', '\U0001f408'])
np.save('l.npy', a.astype('<U4')); np.save('b.npy', a.astype('>U4')); np.save('s.npy', np.char.encode(a, 'utf8')))");
    const std::vector<std::string> expected = {"chat", "", "\xc3\xa9t\xc3\xa9", "\xe7\x8c\xab",
                                               "\xf0\x9f\x90\x88"};
    for (const char* name : {"l.npy", "b.npy", "s.npy"})
        EXPECT_EQ(to_strings(parse_npy(read_file(folder / name), name)), expected) << name;
}

TEST(Npy, numpy_loads_what_we_write) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    Matrix m(2, 3);
    for (std::size_t k = 0; k < 6; ++k) m.data()[k] = 0.5f * static_cast<float>(k);
    const std::vector<std::int64_t> integers = {-1, INT64_MAX, INT64_MIN};
    const Bytes bytes = {0, 255};
    folder.write("m.npy", npy_from(m.view()));
    folder.write("i.npy", npy_from(std::span<const std::int64_t>(integers)));
    folder.write("b.npy", npy_from(ByteView(bytes)));
    folder.write("s.npy", npy_from(std::vector<std::string>{"a", "\xc3\xa9t\xc3\xa9"}));
    folder.write("e.npy", npy_from(Matrix(0, 5).view()));
    EXPECT_EQ(run_numpy(folder, R"(
for f in 'mibse':
    a = np.load(f + '.npy'); print(a.dtype, a.shape, ascii(a.tolist())))"),
              "float32 (2, 3) [[0.0, 0.5, 1.0], [1.5, 2.0, 2.5]]\n"
              "int64 (3,) [-1, 9223372036854775807, -9223372036854775808]\n"
              "uint8 (2,) [0, 255]\n"
              "<U3 (2,) ['a', '\\xe9t\\xe9']\n"
              "float32 (0, 5) []\n");
}

TEST(Npy, data_start_at_a_multiple_of_64_bytes) {
    for (std::size_t rows : {0u, 1u, 1000u, 123456u})
        EXPECT_EQ(npy_from(Matrix(rows, 0).view()).size() % 64, 0u);
}

TEST(Npy, a_header_claiming_more_than_is_there_is_refused_before_anything_is_allocated) {
    for (const char* shape :
         {"(1000000000000000000,)", "(1000000000, 1000000000)", "(4294967296, 4294967296)",
          "(18446744073709551615, 2)", "(18446744073709551615,)", "(3,)", "(1,)"})
        expect_error([&] { array_of(npy("<f4", shape, "12345678")); }, {"a.npy", "8 bytes follow"});
    expect_error([] { array_of(npy("<f4", "(1000000000000000000, 0)", "")); }, {"a.npy", "0 bytes follow"});
    expect_error([] { array_of(npy("<f4", "(99999999999999999999,)", "1234")); }, {"not a size"});
    expect_error([] { array_of(npy("<U0", "(1000000000000000000,)", "")); }, {"element type '<U0'"});
    expect_error([] { array_of(npy("|S9223372036854775807", "(2,)", "ab")); }, {"element type"});
    expect_error([] { array_of(npy("<U1000000000", "(10,)", "ab")); }, {"2 bytes follow"});
}

TEST(Npy, types_that_are_not_read_are_named) {
    expect_error([] { array_of(npy("<c8", "(1,)", "12345678")); }, {"'<c8'", "float16/32/64"});
    for (const char* objects : {"|O", "|O8"})
        expect_error([&] { array_of(npy(objects, "(1,)", "12345678")); },
                     {"Python objects", ".astype(str)", ".astype('float32')"});
    expect_error([] { array_of(npy("<M8[s]", "(1,)", "12345678")); }, {"'<M8[s]'"});
    expect_error(
        [] { array_of(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")); },
        {"records"});
}

TEST(Npy, headers_that_are_not_whole_are_refused) {
    expect_error([] { array_of(npy("{'descr': '<f4', 'fortran_order': False}", "")); }, {"missing"});
    expect_error([] { array_of(npy("{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", "")); },
                 {"True nor False"});
    expect_error([] { array_of(npy("{'descr': '<f4', 'more': 1}", "")); }, {"'more'"});
    expect_error([] { array_of(npy("{'descr': '<f4", "")); }, {"does not end"});
    expect_error([] { array_of({}); }, {"not a .npy array"});
    expect_error([] { array_of({'P', 'K', 3, 4}); }, {"not a .npy array"});
    Bytes version = npy("<f4", "(1,)", "1234");
    version[6] = 9;
    expect_error([&] { array_of(version); }, {"version 9.0"});
}

TEST(Npy, labels_must_be_whole_numbers_that_fit) {
    expect_error([] { to_integers(array_of(npy("<f4", "(1,)", std::string_view("\0\0\0\x3f", 4)))); },
                 {"entry 0 is 0.5"});
    expect_error([] { to_integers(array_of(npy("<u8", "(1,)", "\xff\xff\xff\xff\xff\xff\xff\xff"))); },
                 {"18446744073709551615"});
    expect_error([] { to_integers(array_of(npy("|u1", "(1, 2)", "ab"))); }, {"1 x 2"});
    expect_error([] { to_matrix(array_of(npy("|S1", "(2,)", "ab"))); }, {"found text"});
    expect_error([] { to_strings(array_of(npy("|S1", "(1,)", "\xff"))); }, {"not UTF-8"});
    expect_error([] { to_strings(array_of(npy("<U1", "(1,)", "\xff\xff\xff\xff"))); }, {"not Unicode"});
}

TEST(Npy, damaged_files_give_an_error_or_an_array_and_cut_files_always_an_error) {
    const auto read = [](const Bytes& bytes) {
        const Array array = array_of(bytes);
        if (array.is_text())
            to_strings(array);
        else
            to_matrix(array), to_integers(array);
    };
    EXPECT_EQ(test::read_damaged(npy_from(std::vector<std::string>{"cat", "dog"}), read), 0u);
    EXPECT_EQ(test::read_damaged(npy("<i4", "(2,)", "12345678"), read), 0u);
    EXPECT_EQ(test::read_damaged(npy("|S2", "(3,)", "abcdef"), read), 0u);
}

}  // namespace
}  // namespace fearnet::io
