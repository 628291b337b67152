// Files for tests of the readers: a folder that goes away, NumPy as the outside judge, and damage.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <string>

#include "data/packages/command.hpp"
#include "data/io/files.hpp"
#include "fearnet/error.hpp"

namespace fearnet::test {

class TempFolder {
  public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "fearnet-test-XXXXXX").string();
        if (!::mkdtemp(name.data())) throw Error("no temporary folder");
        path_ = name;
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }
    std::string write(const std::string& name, io::ByteView bytes) const {
        // A new file, not the old one cut to nothing: some file systems flush the latter to disk, thousands
        // of times.
        std::filesystem::remove(path_ / name);
        std::ofstream(path_ / name, std::ios::binary) << io::as_text(bytes);
        return (path_ / name).string();
    }
    std::string write(const std::string& name, std::string_view text) const {
        return write(name, io::as_bytes(text));
    }

  private:
    std::filesystem::path path_;
};

inline const char* const kPython = "/usr/bin/python3";

inline bool python_has(const std::string& module) {
    return run_command({kPython, "-c", "import " + module}).succeeded();
}

// Runs a script in the folder, with numpy as np; what it printed. The test fails when the script does.
inline std::string run_numpy(const TempFolder& folder, const std::string& script) {
    const CommandResult result = run_command({kPython, "-c", "import numpy as np\n" + script}, folder.path());
    EXPECT_TRUE(result.succeeded()) << result.output;
    return result.output;
}

#define SKIP_WITHOUT_NUMPY()                 \
    if (!fearnet::test::python_has("numpy")) \
    GTEST_SKIP() << "needs " << fearnet::test::kPython << " with numpy"

// The message of the Error that `action` throws; fails the test when it throws none, or when a piece is not
// in it.
inline std::string expect_error(const std::function<void()>& action,
                                std::initializer_list<const char*> pieces) {
    try {
        action();
    } catch (const Error& error) {
        for (const char* piece : pieces)
            EXPECT_NE(std::string(error.what()).find(piece), std::string::npos)
                << "'" << piece << "' is not in: " << error.what();
        return error.what();
    }
    ADD_FAILURE() << "no Error was thrown";
    return {};
}

// True when `read` returned, false when it threw Error. Anything else it throws ends the test.
inline bool reads(const std::function<void(const io::Bytes&)>& read, const io::Bytes& bytes) {
    try {
        read(bytes);
        return true;
    } catch (const Error&) {
        return false;
    }
}

// Cuts a valid file at every length and flips its bits one by one, or every `bit_step`-th: `read` must return
// or throw Error. Gives how many of the cut files were read as if whole.
inline std::size_t read_damaged(const io::Bytes& valid, const std::function<void(const io::Bytes&)>& read,
                                std::size_t bit_step = 1) {
    EXPECT_TRUE(reads(read, valid)) << "the undamaged file must be read";
    std::size_t cut_but_read = 0;
    for (std::size_t length = 0; length < valid.size(); ++length)
        cut_but_read +=
            reads(read, io::Bytes(valid.begin(), valid.begin() + static_cast<std::ptrdiff_t>(length)));
    io::Bytes flipped = valid;
    for (std::size_t bit = 0; bit < 8 * valid.size(); bit += bit_step) {
        flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ (1u << bit % 8));
        reads(read, flipped);
        flipped[bit / 8] = valid[bit / 8];
    }
    return cut_but_read;
}

}  // namespace fearnet::test
