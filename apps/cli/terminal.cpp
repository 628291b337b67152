#include "terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace fearnet::cli {
namespace {

struct Character {
    std::size_t bytes;
    char32_t code;
};

// The character at the front of `text`, which is not empty. A byte that begins none counts as one of its own.
Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t bytes = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
    if (bytes == 1 || text.size() < bytes) return {1, first};
    char32_t code = first & (0xffu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) code = (code << 6) | (byte(i) & 0x3fu);
    return {bytes, code};
}

std::size_t columns_of(char32_t c) {
    const auto within = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
    if (c < 0x20 || within(0x7f, 0x9f)) return 0;
    if (within(0x300, 0x36f) || within(0x200b, 0x200f) || within(0x20d0, 0x20ff) || within(0xfe00, 0xfe0f))
        return 0;
    if (within(0x1100, 0x115f) || within(0x2e80, 0xa4cf) || within(0xac00, 0xd7a3) ||
        within(0xf900, 0xfaff) || within(0xfe30, 0xfe6f) || within(0xff00, 0xff60) ||
        within(0xffe0, 0xffe6) || within(0x1f300, 0x1faff) || within(0x20000, 0x3fffd))
        return 2;
    return 1;
}

}  // namespace

std::size_t terminal_width(int file_descriptor, std::size_t default_value) {
    winsize size{};
    if (::ioctl(file_descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return default_value;
    return size.ws_col;
}

bool is_terminal(int file_descriptor) {
    return ::isatty(file_descriptor) == 1;
}

bool takes_control_sequences() {
    const char *no_color = std::getenv("NO_COLOR"), *term = std::getenv("TERM");
    return (no_color == nullptr || *no_color == '\0') && term != nullptr && std::string_view(term) != "dumb";
}

bool speaks_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (value == nullptr || *value == '\0') continue;
        std::string locale = value;
        std::transform(locale.begin(), locale.end(), locale.begin(),
                       [](unsigned char c) { return std::tolower(c); });
        return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    }
    return false;
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        const Character c = first_character(text);
        width += columns_of(c.code);
        text.remove_prefix(c.bytes);
    }
    return width;
}

std::string fitted(std::string_view text, std::size_t width, std::size_t at_least) {
    std::string out;
    std::size_t used = 0;
    while (!text.empty()) {
        const Character c = first_character(text);
        const bool control = c.code < 0x20 || c.code == 0x7f;
        const std::size_t columns = control ? 1 : columns_of(c.code);
        if (used + columns > width) break;
        out += control ? std::string_view("?") : text.substr(0, c.bytes);
        used += columns;
        text.remove_prefix(c.bytes);
    }
    if (used < at_least) out.append(at_least - used, ' ');
    return out;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const std::size_t space = text.find(' ');
        const std::string_view word = text.substr(0, space);
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
        if (!lines.back().empty()) lines.back() += ' ';
        lines.back() += word;
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    }
    return lines;
}

std::string counted(std::size_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string duration_text(double seconds) {
    const auto s = static_cast<long long>(std::llround(std::clamp(seconds, 0.0, 1e9)));
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
    return fmt::format("{} h {:02} min", s / 3600, s % 3600 / 60);
}

}  // namespace fearnet::cli
