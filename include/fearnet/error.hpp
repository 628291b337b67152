// The exceptions of the library, and functions that make text from outside safe to print.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace fearnet {

// Thrown for bad input, a bad file or a bad option. The message names the function or flag, the numbers that
// do not fit, and what to do. The object whose function threw it is unchanged and usable. Bugs in the library
// itself assert instead.
//
// what() is one line of UTF-8 that is safe to print, even if it quotes input: printable(message), see below.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& message);
};

// Thrown when there is not enough memory. The message says what the memory was for.
class OutOfMemory : public Error {
  public:
    using Error::Error;
};

// Thrown when a progress callback returned false. The learner or brain is as it was before the call.
class Cancelled : public Error {
  public:
    explicit Cancelled(const std::string& what) : Error(what + ": cancelled") {}
};

// Escapes the characters of `text` that could control a terminal or reorder a line: control characters (C0,
// DEL, C1) and line separators become "\n", "\t" or "\u001b", bidirectional controls "\u202e", and bytes that
// are not UTF-8 "\xff". Applying it twice is the same as applying it once. Use it for everything a program
// prints that came from a file, an argument or another library. Error applies it to its message.
std::string printable(std::string_view text);

// The same for text of several lines: newlines and tabs stay. Valid JSON keeps its meaning.
std::string printable_lines(std::string_view text);

inline constexpr std::size_t kMaxNameBytes = 256;

// Checks the name of a class: 1 to kMaxNameBytes bytes of UTF-8 without any character that printable would
// escape. Returns "" if `name` is valid, else the reason as a predicate: "is empty", "is not UTF-8", ...
std::string name_problem(std::string_view name);

}  // namespace fearnet
