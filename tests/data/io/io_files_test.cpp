#include "data/io/files.hpp"

#include <sys/stat.h>

#include "core/base/utf8.hpp"
#include "support/data_files.hpp"

namespace fearnet::io {
namespace {

using test::expect_error;
using test::TempFolder;

std::size_t files_in(const TempFolder& folder) {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++n;
    return n;
}

TEST(Files, what_is_written_is_read_and_nothing_else_is_left_behind) {
    const TempFolder folder;
    for (const std::size_t size : {0u, 1u, 5000000u}) {
        const Bytes bytes(size, 42);
        write_file_atomically(folder / "a", bytes);
        EXPECT_EQ(read_file(folder / "a"), bytes);
    }
    EXPECT_EQ(files_in(folder), 1u);
}

TEST(Files, a_write_that_fails_leaves_nothing_behind_and_the_old_file_alone) {
    const TempFolder folder;
    std::filesystem::create_directory(folder / "taken");
    folder.write("taken/inside", "x");
    expect_error([&] { write_file_atomically(folder / "taken", Bytes{1}); }, {"taken", "is a folder"});
    expect_error([&] { write_file_atomically(folder / "none" / "a", Bytes{1}); },
                 {"none/a", "cannot create"});
    EXPECT_EQ(files_in(folder), 1u);
    EXPECT_EQ(read_file(folder / "taken/inside"), Bytes{'x'});
}

TEST(Files, new_files_follow_the_umask) {
    const TempFolder folder;
    const mode_t before = ::umask(027);
    write_file_atomically(folder / "a", Bytes{1});
    ::umask(before);
    struct stat info {};
    ASSERT_EQ(::stat((folder / "a").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST(Files, missing_files_and_folders_are_named) {
    const TempFolder folder;
    expect_error([&] { read_file(folder / "none"); }, {"none", "cannot open", "No such file"});
    expect_error([&] { read_file(folder.path()); }, {"Is a directory"});
}

TEST(Utf8, only_whole_shortest_forms_count) {
    EXPECT_TRUE(is_utf8("a\xc3\xa9\xe7\x8c\xab\xf0\x9f\x90\x88"));
    for (const char* bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                            "\xff", "a\xe7\x8c"})
        EXPECT_FALSE(is_utf8(bad));
}

TEST(Utf8, every_code_point_survives_the_round_trip_but_surrogates) {
    for (char32_t c = 1; c <= 0x10ffff; ++c) {
        std::string text;
        const bool surrogate = c >= 0xd800 && c <= 0xdfff;
        ASSERT_EQ(append_utf8(text, c), !surrogate) << std::uint32_t(c);
        if (surrogate) continue;
        std::string_view rest = text;
        char32_t back = 0;
        ASSERT_TRUE(next_code_point(rest, back));
        ASSERT_EQ(back, c);
        ASSERT_TRUE(rest.empty());
    }
}

}  // namespace
}  // namespace fearnet::io
