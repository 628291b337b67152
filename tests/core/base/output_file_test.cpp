// Files that are replaced whole or not at all, and what is never replaced.
#include "fearnet/output_file.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>

#include "support/data_files.hpp"

namespace fearnet {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TempFolder;

std::string text_of(const fs::path& path) {
    return std::string(io::as_text(io::read_file(path)));
}

std::vector<std::string> files_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

TEST(OutputFile, appears_at_commit_and_not_before) {
    const TempFolder folder;
    folder.write("a", "old");
    {
        OutputFile file(folder / "a");
        file.write("one ");
        file.write("two");
        EXPECT_EQ(text_of(folder / "a"), "old");
        file.commit();
    }
    EXPECT_EQ(text_of(folder / "a"), "one two");
    { OutputFile(folder / "b").write("given up"); }
    EXPECT_EQ(files_in(folder.path()), std::vector<std::string>{"a"});
}

TEST(OutputFile, replaces_only_regular_files) {
    const TempFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    fs::create_directory(folder / "folder");
    const int bound = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (folder / "socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(bound, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(bound);
    folder.write("target", "mine");
    fs::create_symlink(folder / "target", folder / "link");
    fs::create_symlink("nowhere", folder / "dangling");
    std::vector<std::pair<std::string, const char*>> kinds{{"pipe", "is a pipe"},
                                                           {"folder", "is a folder"},
                                                           {"socket", "is a socket"},
                                                           {"link", "is a symbolic link"},
                                                           {"dangling", "is a symbolic link"}};
    // A device like /dev/full; making one takes root.
    if (::mknod((folder / "device").c_str(), S_IFCHR | 0600, ::makedev(1, 7)) == 0)
        kinds.emplace_back("device", "is a device");
    const std::vector<std::string> before = files_in(folder.path());
    for (const auto& [name, kind] : kinds) {
        const fs::file_type type = fs::symlink_status(folder / name).type();
        const fs::path path = folder / name;
        expect_error([&] { write_file_atomically(path, "x"); },
                     {name.c_str(), kind, "only a regular file is replaced"});
        EXPECT_EQ(fs::symlink_status(folder / name).type(), type) << name;
    }
    EXPECT_EQ(text_of(folder / "target"), "mine");
    EXPECT_EQ(files_in(folder.path()), before) << "nothing is left behind";
}

TEST(OutputFile, looks_again_before_it_replaces) {
    const TempFolder folder;
    OutputFile file(folder / "a");
    file.write("x");
    ASSERT_EQ(::mkfifo((folder / "a").c_str(), 0600), 0);
    expect_error([&] { file.commit(); }, {"is a pipe"});
    EXPECT_EQ(fs::status(folder / "a").type(), fs::file_type::fifo);
}

TEST(OutputFile, a_write_that_fails_names_the_reason_and_leaves_nothing) {
    const TempFolder folder;
    folder.write("a", "old");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{1000, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    expect_error([&] { write_file_atomically(folder / "a", std::string(5000, 'x')); },
                 {"a: cannot write: File too large"});
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(text_of(folder / "a"), "old");
    EXPECT_EQ(files_in(folder.path()), std::vector<std::string>{"a"});
    expect_error([&] { OutputFile(folder / "none" / "a"); }, {"none/a", "cannot create"});
}

TEST(OutputFile, a_folder_inside_another_is_no_link_out_of_it) {
    const TempFolder folder;
    EXPECT_TRUE(fs::is_directory(make_folder_inside(folder / "new", "plots")));
    EXPECT_TRUE(fs::is_directory(make_folder_inside(folder / "new", "plots"))) << "again";
    fs::create_directory(folder / "elsewhere");
    fs::create_symlink(folder / "elsewhere", folder / "new/runs");
    expect_error([&] { make_folder_inside(folder / "new", "runs"); }, {"new/runs", "symbolic link"});
    folder.write("file", "x");
    expect_error([&] { make_folder_inside(folder / "file", "runs"); }, {"file/runs"});
}

}  // namespace
}  // namespace fearnet
