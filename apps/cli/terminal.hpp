// Text that fits a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fearnet::cli {

// Columns of the terminal behind a file descriptor; `default_value` when there is none.
std::size_t terminal_width(int file_descriptor, std::size_t default_value);
bool is_terminal(int file_descriptor);
// Whether the user lets us write escape sequences: NO_COLOR is not set (https://no-color.org) and TERM is not
// dumb.
bool takes_control_sequences();
// Whether the user's locale says that the terminal shows UTF-8.
bool speaks_utf8();

// Columns that UTF-8 text takes: wide East Asian characters count two, combining marks none.
std::size_t display_width(std::string_view text);
// `text` cut to at most `width` columns, then filled with spaces up to `at_least`.
std::string fitted(std::string_view text, std::size_t width, std::size_t at_least = 0);
// Broken at spaces into lines of at most `width` bytes (longer words stay whole).
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// "1 class", "2 classes"
std::string counted(std::size_t n, const char* one, const char* many);

// "8 s", "3 min 05 s", "2 h 10 min"
std::string duration_text(double seconds);

}  // namespace fearnet::cli
