// What the library throws.
#pragma once

#include <stdexcept>
#include <string>

namespace fearnet {

// Bad input, a bad file or a bad option. The message names the function or flag, the numbers that do not fit,
// and what to do. Whatever object reported it is unchanged and stays usable. Bugs of ours assert instead.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The progress callback asked to stop. The learner is as it was before the call.
class Cancelled : public Error {
  public:
    explicit Cancelled(const std::string& what) : Error(what + ": cancelled") {}
};

}  // namespace fearnet
