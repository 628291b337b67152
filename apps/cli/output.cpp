#include "output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "fearnet/base/error.hpp"

namespace fearnet::cli {
namespace {

void check(bool written) {
    if (!written) throw Error(std::string("standard output: cannot write: ") + std::strerror(errno));
}

}  // namespace

bool is_standard_output(const std::string& name) {
    return name == "-" || name == "/dev/stdout";
}

Output::Output(const std::string& name) {
    if (!is_standard_output(name)) file_.emplace(name);
}

void Output::write(std::string_view bytes) {
    if (file_)
        file_->write(bytes);
    else
        check(std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size());
}

void Output::finish() {
    if (file_)
        file_->commit();
    else
        check(std::fflush(stdout) == 0);
}

}  // namespace fearnet::cli
