#include "data/io/idx.hpp"

#include "data/io/deflate.hpp"
#include "support/data_files.hpp"

namespace fearnet::io {
namespace {

using test::expect_error;
using test::TempFolder;

// Two images of 2 x 3 bytes.
const Bytes kImages = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2,  0,  0,
                       0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255};

// Made by gzip -9n from the ten bytes 00 00 08 01 00 00 00 02 07 ff.
const Bytes kGzipLabels = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                           0x63, 0x60, 0xe0, 0x60, 0x64, 0x60, 0x60, 0x60, 0x62, 0xff,
                           0x0f, 0x00, 0x53, 0xd5, 0xdf, 0xf7, 0x0a, 0x00, 0x00, 0x00};

TEST(Idx, reads_images_as_rows_of_pixels) {
    const Matrix m = to_matrix(parse_idx(kImages, "i"));
    ASSERT_EQ(m.rows(), 2u);
    ASSERT_EQ(m.cols(), 6u);
    EXPECT_EQ(m(0, 0), 1.0f);
    EXPECT_EQ(m(1, 5), 255.0f);
}

TEST(Idx, reads_signed_and_wide_numbers_big_end_first) {
    EXPECT_EQ(to_integers(parse_idx(Bytes{0, 0, 0x0b, 1, 0, 0, 0, 2, 0xff, 0xfe, 1, 0}, "i")),
              (std::vector<std::int64_t>{-2, 256}));
    EXPECT_EQ(to_matrix(parse_idx(Bytes{0, 0, 0x0d, 1, 0, 0, 0, 1, 0x3f, 0x80, 0, 0}, "i"))(0, 0), 1.0f);
}

TEST(Idx, sizes_that_do_not_fit_are_refused_before_anything_is_allocated) {
    Bytes hostile = kImages;
    for (std::size_t i = 4; i < 16; ++i) hostile[i] = 0xff;
    expect_error([&] { parse_idx(hostile, "i"); },
                 {"4294967295 x 4294967295 x 4294967295", "12 bytes follow"});
    Bytes longer = kImages;
    longer.push_back(0);
    expect_error([&] { parse_idx(longer, "i"); }, {"2 x 2 x 3", "13 bytes follow"});
    expect_error([] { parse_idx(Bytes{0, 0, 8, 200, 0}, "i"); }, {"804 bytes"});
    expect_error([] { parse_idx(Bytes{0, 0, 7, 0}, "i"); }, {"type 7"});
    expect_error([] { parse_idx(Bytes{'P', 'K', 3, 4}, "i"); }, {"not an IDX file"});
}

TEST(Idx, damaged_files_give_an_error_or_an_array_and_cut_files_always_an_error) {
    EXPECT_EQ(test::read_damaged(kImages, [](const Bytes& b) { to_matrix(parse_idx(b, "i")); }), 0u);
}

TEST(Gzip, reads_what_the_gzip_program_made_and_checks_it) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    run_numpy(folder, R"(
import gzip
open('l.gz', 'wb').write(gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, 2, 7, 255])) + gzip.compress(b'')))");
    EXPECT_EQ(to_integers(read_idx(folder / "l.gz")), (std::vector<std::int64_t>{7, 255}));
    const Bytes file = read_file(folder / "l.gz");
    // Cutting off the second, empty member leaves a whole file; nothing else does.
    EXPECT_EQ(test::read_damaged(file, [](const Bytes& b) { parse_idx(gunzip(b, "l.gz"), "l.gz"); }), 1u);
}

TEST(Gzip, hand_made_bytes_are_unpacked_and_a_wrong_checksum_is_an_error) {
    EXPECT_EQ(gunzip(kGzipLabels, "l.gz"), (Bytes{0, 0, 8, 1, 0, 0, 0, 2, 7, 255}));
    Bytes wrong = kGzipLabels;
    wrong[22] ^= 1;
    expect_error([&] { gunzip(wrong, "l.gz"); }, {"l.gz", "incorrect data check"});
}

}  // namespace
}  // namespace fearnet::io
