// What the library throws.
#pragma once

#include <stdexcept>
#include <string>

namespace fearnet {

// Bad input, a bad file or a bad option. The message names the function or flag, the numbers that do not fit,
// and what to do. Whatever object reported it is unchanged and stays usable. Bugs of ours assert instead.
//
// A message may quote input. It is one line of UTF-8 that is safe to print: what() is printable(message), see
// fearnet/base/printable.hpp.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& message);
};

// The progress callback asked to stop. The learner is as it was before the call.
class Cancelled : public Error {
  public:
    explicit Cancelled(const std::string& what) : Error(what + ": cancelled") {}
};

}  // namespace fearnet
