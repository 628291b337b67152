#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fearnet/base/error.hpp"

namespace fearnet::cli {

OutputFile::OutputFile(const std::string& path) : path_(path) {
    if (path.empty() || path == "-" || path == "/dev/stdout") {
        path_ = "standard output";
        return;
    }
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
        throw Error(path +
                    ": exists and is not a regular file; choose another name, or - for standard output");
    temporary_ = path + ".tmp" + std::to_string(::getpid());
    const int fd = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    file_ = fd < 0 ? nullptr : ::fdopen(fd, "w");
    if (file_ == nullptr) {
        const int error = errno;
        temporary_.clear();
        errno = error;
        fail("create a file beside it");
    }
}

OutputFile::~OutputFile() {
    if (!is_file()) return;
    if (file_ != nullptr) std::fclose(file_);
    ::unlink(temporary_.c_str());
}

void OutputFile::fail(const char* action) const {
    throw Error(path_ + ": cannot " + action + ": " + std::strerror(errno));
}

void OutputFile::write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("write");
}

void OutputFile::flush() {
    if (std::fflush(file_) != 0) fail("write");
}

void OutputFile::finish() {
    flush();
    if (!is_file()) return;
    if (::fsync(::fileno(file_)) != 0) fail("write");
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) fail("write");
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("rename the finished file");
    temporary_.clear();
}

}  // namespace fearnet::cli
