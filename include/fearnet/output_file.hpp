// A file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace fearnet {

// Writes a temporary file beside `path` and renames it to `path` in the end. Until commit() returns, `path`
// is as it was; afterwards it holds exactly what was written, on disk.
//
// Only a regular file is ever replaced. A symbolic link at `path` is refused too, whatever it leads to. Links
// in the folders above are followed, as everywhere.
//
// Every function throws Error naming the file and the reason: not a regular file, folder missing, no
// permission, disk full. The temporary file is then gone when the object is.
class OutputFile {
  public:
    explicit OutputFile(const std::filesystem::path& path);
    // Removes what was written unless it was committed.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view bytes);
    void commit();

  private:
    void create_beside();

    std::filesystem::path path_;
    std::string temporary_;  // empty: none
    int file_ = -1;
};

// The whole of a file at once.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// Throws Error when there is something at `path` that is not a regular file: a folder, a symbolic link, a
// device, a pipe, a socket.
void check_replaceable(const std::filesystem::path& path);

// The folder `name` inside `folder`; makes both where they are missing. Throws Error when that is not
// possible or `name` is a symbolic link, which could lead out of `folder`.
std::filesystem::path make_folder_inside(const std::filesystem::path& folder, const std::string& name);

}  // namespace fearnet
