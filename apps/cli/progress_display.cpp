#include "progress_display.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "fearnet/error.hpp"
#include "terminal.hpp"

namespace fearnet::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kSilence = std::chrono::seconds(10);

// Never a whole "100 %" before the end.
int percent(double fraction) {
    return fraction >= 1 ? 100 : std::min(99, static_cast<int>(fraction * 100));
}

}  // namespace

ProgressDisplay::Style ProgressDisplay::fitting_style() {
    return is_terminal(STDERR_FILENO) && takes_control_sequences() ? Style::bar : Style::lines;
}

ProgressDisplay::ProgressDisplay(Style style)
    : style_(style), utf8_(speaks_utf8()), start_(Clock::now()), shown_(start_ - kRedraw) {}

ProgressDisplay::~ProgressDisplay() {
    clear();
}

void ProgressDisplay::update(double fraction, const std::string& what) {
    const auto now = Clock::now();
    const std::string left = time_left(fraction);  // learns from every call
    if (style_ == Style::quiet || now - shown_ < (style_ == Style::bar ? Clock::duration(kRedraw) : kSilence))
        return;
    shown_ = now;
    if (style_ == Style::bar) {
        fmt::print(stderr, "\r{}\x1b[K", bar(fraction, printable(what), left));
        drawn_ = true;
    } else {
        fmt::print(stderr, "{:3} %  {}{}\n", percent(fraction), printable(what),
                   left.empty() ? "" : ", " + left);
    }
    std::fflush(stderr);
}

void ProgressDisplay::line(const std::string& text) {
    if (style_ == Style::quiet) return;
    clear();
    fmt::print(stderr, "{}\n", printable(text));
    std::fflush(stderr);
    if (style_ == Style::lines) shown_ = Clock::now();
}

void ProgressDisplay::clear() {
    if (!drawn_) return;
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
    drawn_ = false;
    shown_ = Clock::now() - kRedraw;
}

std::string ProgressDisplay::time_left(double fraction) {
    const double passed = std::chrono::duration<double>(Clock::now() - start_).count();
    const std::optional<double> seconds = estimate_.at(fraction, passed);
    return seconds ? duration_text(*seconds) + " left" : "";
}

std::string ProgressDisplay::bar(double fraction, const std::string& what, const std::string& left) const {
    // The last column stays free: some terminals wrap when it is written.
    const std::size_t width = terminal_width(STDERR_FILENO, 80) - 1;
    const std::size_t length = std::clamp<std::size_t>(width / 4, 8, 30);
    const auto full = static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(length));
    std::string blocks;
    for (std::size_t i = 0; i < length; ++i)
        blocks += i < full ? (utf8_ ? "\u2588" : "#") : (utf8_ ? "\u2591" : ".");
    return fitted(fmt::format("{:3} % {} {:<16} {}", percent(fraction), blocks, left, what), width);
}

}  // namespace fearnet::cli
