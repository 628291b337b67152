#include "data/io/npz.hpp"

#include "data/io/deflate.hpp"
#include "data/io/little_endian.hpp"
#include "support/data_files.hpp"

namespace fearnet::io {
namespace {

using test::expect_error;
using test::TempFolder;

Bytes small_npz(bool deflated) {
    const std::vector<std::int64_t> integers(40, 7);
    NpzWriter writer(deflated);
    writer.add("a", std::span<const std::int64_t>(integers));
    writer.add("b", std::vector<std::string>{"x", "y"});
    return writer.finish();
}

void read_all(const Bytes& bytes) {
    const NpzFile file(bytes, "a.npz");
    for (const std::string& key : file.keys()) file.array(key);
}

TEST(Npz, reads_what_numpy_saves_stored_and_compressed) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    run_numpy(folder, R"(
a = dict(x=np.arange(6, dtype='f4').reshape(2, 3), y=np.array([3, -1]), names=np.array(['a', 'b']))
np.savez('s.npz', **a); np.savez_compressed('d.npz', **a))");
    for (const char* name : {"s.npz", "d.npz"}) {
        const NpzFile file(folder / name);
        EXPECT_EQ(file.keys(), (std::vector<std::string>{"names", "x", "y"})) << name;
        EXPECT_EQ(to_matrix(file.array("x"))(1, 2), 5.0f) << name;
        EXPECT_EQ(to_integers(file.array("y")), (std::vector<std::int64_t>{3, -1})) << name;
        EXPECT_EQ(to_strings(file.array("names")), (std::vector<std::string>{"a", "b"})) << name;
    }
}

TEST(Npz, numpy_loads_what_we_write_stored_and_deflated) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    folder.write("s.npz", small_npz(false));
    folder.write("d.npz", small_npz(true));
    EXPECT_EQ(run_numpy(folder, R"(
import zipfile
for f in 'sd':
    z = zipfile.ZipFile(f + '.npz'); assert z.testzip() is None
    a = np.load(f + '.npz'); print(sorted(a.files), a['a'].sum(), a['b'].tolist(), z.infolist()[0].compress_type))"),
              "['a', 'b'] 280 ['x', 'y'] 0\n['a', 'b'] 280 ['x', 'y'] 8\n");
}

TEST(Npz, reads_members_larger_than_the_first_output_buffer) {
    Matrix big(1000, 100);
    for (std::size_t k = 0; k < big.size(); ++k) big.data()[k] = static_cast<float>(k % 977);
    NpzWriter writer(true);
    writer.add("x", big.view());
    const NpzFile file(writer.finish(), "big.npz");
    const Matrix back = to_matrix(file.array("x"));
    ASSERT_EQ(back.rows(), 1000u);
    EXPECT_EQ(std::memcmp(back.data(), big.data(), big.bytes()), 0);
}

TEST(Npz, a_missing_array_is_named_with_what_is_there) {
    expect_error([] { NpzFile(small_npz(false), "a.npz").array("x_train"); }, {"a.npz", "'x_train'", "a, b"});
}

TEST(Npz, a_changed_byte_inside_a_stored_member_fails_its_checksum) {
    Bytes file = small_npz(false);
    file[200] ^= 1;
    expect_error([&] { NpzFile(file, "a.npz").array("a"); }, {"a.npz", "'a.npy'", "CRC"});
}

TEST(Npz, damaged_files_give_an_error_or_arrays_and_cut_files_always_an_error) {
    EXPECT_EQ(test::read_damaged(small_npz(false), read_all), 0u);
    EXPECT_EQ(test::read_damaged(small_npz(true), read_all), 0u);
}

TEST(Npz, numpys_own_files_survive_damage_too) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    run_numpy(folder, "np.savez_compressed('d.npz', x=np.arange(6), n=np.array(['a']))");
    EXPECT_EQ(test::read_damaged(read_file(folder / "d.npz"), read_all), 0u);
}

// One deflated member whose directory entry is rewritten: where the fields lie is fixed by the zip format.
struct OneMember {
    Bytes file;
    std::size_t entry = 0;
    OneMember() {
        ZipWriter writer;
        writer.add("a.npy", Bytes(1000, 'x'), true);
        file = writer.finish();
        entry = read_little<std::uint32_t>(file.data() + file.size() - 22 + 16);
    }
    void put32(std::size_t at, std::uint32_t value) {
        for (std::size_t i = 0; i < 4; ++i) file[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
    void put16(std::size_t at, std::uint16_t value) {
        file[at] = static_cast<std::uint8_t>(value);
        file[at + 1] = static_cast<std::uint8_t>(value >> 8);
    }
    Bytes unpack() const { return unzip(list_zip(file, "a.zip").at(0), "a.zip"); }
};

TEST(Zip, the_untouched_member_unpacks) {
    EXPECT_EQ(OneMember().unpack(), Bytes(1000, 'x'));
}

TEST(Zip, a_size_that_is_a_lie_is_refused_and_not_allocated) {
    OneMember larger, smaller, beyond;
    larger.put32(larger.entry + 24, 0xfffffff0);
    expect_error([&] { larger.unpack(); }, {"a.zip", "unpacks to 1000 bytes but 4294967280"});
    smaller.put32(smaller.entry + 24, 500);
    expect_error([&] { smaller.unpack(); }, {"more than the 500 bytes"});
    beyond.put32(beyond.entry + 20, 0x7fffffff);
    expect_error([&] { beyond.unpack(); }, {"2147483647 bytes", "but the file has"});
}

TEST(Zip, encrypted_unknown_and_repeated_members_are_refused) {
    OneMember encrypted, method, many;
    encrypted.put16(encrypted.entry + 8, 1);
    expect_error([&] { encrypted.unpack(); }, {"encrypted"});
    method.put16(method.entry + 10, 12);
    expect_error([&] { method.unpack(); }, {"method 12"});
    many.put16(many.file.size() - 22 + 8, 60000);
    many.put16(many.file.size() - 22 + 10, 60000);
    expect_error([&] { many.unpack(); }, {"60000 members"});
    ZipWriter twice;
    twice.add("a", Bytes{1}, false);
    twice.add("a", Bytes{2}, false);
    const Bytes file = twice.finish();
    expect_error([&] { list_zip(file, "a.zip"); }, {"'a' twice"});
}

TEST(Zip, zip64_sizes_are_read_and_checked) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    // Lowering zipfile's limit makes it write zip64 records for a small file.
    run_numpy(folder, R"(
import zipfile
zipfile.ZIP64_LIMIT = 10; zipfile.ZIP_FILECOUNT_LIMIT = 0
with zipfile.ZipFile('a.zip', 'w', zipfile.ZIP_DEFLATED) as z: z.writestr('m', b'x' * 1000))");
    const Bytes file = read_file(folder / "a.zip");
    ASSERT_NE(as_text(file).find("PK\x06\x06"), std::string_view::npos) << "python wrote no zip64 record";
    EXPECT_EQ(unzip(list_zip(file, "a.zip").at(0), "a.zip"), Bytes(1000, 'x'));
    EXPECT_EQ(test::read_damaged(file,
                                 [](const Bytes& b) {
                                     for (auto& m : list_zip(b, "a")) unzip(m, "a");
                                 }),
              0u);
}

TEST(Zip, a_comment_at_the_end_is_passed_over) {
    OneMember commented;
    commented.put16(commented.file.size() - 2, 5);
    for (const char c : {'h', 'e', 'l', 'l', 'o'}) commented.file.push_back(static_cast<std::uint8_t>(c));
    EXPECT_EQ(commented.unpack(), Bytes(1000, 'x'));
}

TEST(Deflate, bytes_that_no_compressor_shrinks_come_back) {
    Bytes noise;
    for (std::uint64_t i = 0, x = 1; i < 300000; ++i)
        noise.push_back(
            static_cast<std::uint8_t>((x = x * 6364136223846793005ull + 1442695040888963407ull) >> 56));
    EXPECT_EQ(inflate_raw(deflate_raw(noise), noise.size(), "noise"), noise);
    EXPECT_EQ(inflate_raw(deflate_raw({}), 0, "nothing"), Bytes());
}

}  // namespace
}  // namespace fearnet::io
