// What the harnesses share: a folder for the bytes, and the rule that only Error may leave a reader.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "data/io/files.hpp"
#include "fearnet/error.hpp"

namespace fearnet::fuzz {

// In memory where there is such a folder: a fuzzer writes thousands of files a second. Gone at exit.
class Folder {
  public:
    Folder() {
        const std::filesystem::path shared = "/dev/shm";
        const std::filesystem::path in =
            std::filesystem::exists(shared) ? shared : std::filesystem::temp_directory_path();
        std::string name = (in / "fearnet-fuzz-XXXXXX").string();
        if (!::mkdtemp(name.data())) throw Error("no temporary folder in " + in.string());
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    // The path of `name`, which then holds `bytes`.
    std::string write(const std::string& name, io::ByteView bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << io::as_text(bytes);
        return (path_ / name).string();
    }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

template <class Read>
void read_or_refuse(const Read& read) {
    try {
        read();
    } catch (const Error&) {
    }
}

}  // namespace fearnet::fuzz
