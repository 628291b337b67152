// Where a command writes its answers.
#pragma once

#include <cstdio>
#include <string>

namespace fearnet::cli {

// Standard output, or a file that appears under its name when it is whole: until `finish` it is a temporary
// file beside it, which goes away when the program stops early.
class OutputFile {
  public:
    // "", "-" and "/dev/stdout" are standard output. Throws Error when `path` exists and is not a regular
    // file, or nothing can be written beside it.
    explicit OutputFile(const std::string& path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    void write(const std::string& text);
    // Hands what was written to the reader of a pipe.
    void flush();
    // The last call: throws Error when not everything could be written.
    void finish();
    bool is_file() const { return !temporary_.empty(); }

  private:
    [[noreturn]] void fail(const char* action) const;

    std::string path_;
    std::string temporary_;  // empty: standard output
    std::FILE* file_ = stdout;
};

}  // namespace fearnet::cli
