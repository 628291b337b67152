// What the library throws, and text from outside made safe to show.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace fearnet {

// Bad input, a bad file or a bad option. The message names the function or flag, the numbers that do not fit,
// and what to do. Whatever object reported it is unchanged and stays usable. Bugs of ours assert instead.
//
// A message may quote input. It is one line of UTF-8 that is safe to print: what() is printable(message), see
// below.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& message);
};

// There was not enough memory. The message says for what, and what to do where that is known.
class OutOfMemory : public Error {
  public:
    using Error::Error;
};

// The progress callback asked to stop. The learner is as it was before the call.
class Cancelled : public Error {
  public:
    explicit Cancelled(const std::string& what) : Error(what + ": cancelled") {}
};

// `text` with every character escaped that a terminal would obey or that would reorder a line: control
// characters (C0, DEL, C1) and line separators as "\n" or "\u001b", bidirectional controls as "\u202e", bytes
// that are not UTF-8 as "\xff". Applying it twice changes nothing more. Use it for whatever a program prints
// that came from a file, an argument or another library; the message of an Error has been through it.
std::string printable(std::string_view text);

// The same for text of several lines: newlines and tabs stay. JSON stays JSON of the same meaning.
std::string printable_lines(std::string_view text);

inline constexpr std::size_t kMaxNameBytes = 256;

// Why `name` cannot be the name of a class, as the end of a sentence that starts with the name; empty when it
// can. A name is 1 to kMaxNameBytes bytes of UTF-8 without any character that printable would escape.
std::string name_problem(std::string_view name);

}  // namespace fearnet
