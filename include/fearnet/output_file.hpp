// Atomic writing of files: after a crash or an error, a file is complete or unchanged.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace fearnet {

// Writes to a temporary file in the same folder; commit() flushes it to disk and renames it to `path`. `path`
// is unchanged until then.
//
// An existing file at `path` is replaced only if it is a regular file. A symbolic link at `path` is refused;
// symbolic links among its parent folders are followed.
//
// Every function throws Error with the file and the reason: not a regular file, missing folder, no
// permission, disk full. Not thread-safe.
class OutputFile {
  public:
    // Creates the temporary file.
    explicit OutputFile(const std::filesystem::path& path);
    // Deletes the temporary file unless it was committed.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view bytes);
    // Call once, after the last write.
    void commit();

  private:
    void create_beside();

    std::filesystem::path path_;
    std::string temporary_;  // empty: none
    int file_ = -1;
};

// Writes `bytes` as the whole contents of `path`, as OutputFile does.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// Throws Error if something at `path` is not a regular file (a folder, a symbolic link, a device, a pipe or a
// socket), or is a brain or another SQLite file. Nothing at `path` is fine.
void check_replaceable(const std::filesystem::path& path);

// Creates the folder `name` inside `folder`, and `folder` itself, unless they exist. Returns the path. Throws
// Error if that fails, or if folder/name is a symbolic link, which could lead out of `folder`.
std::filesystem::path make_folder_inside(const std::filesystem::path& folder, const std::string& name);

}  // namespace fearnet
