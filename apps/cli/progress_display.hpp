// How a long run shows itself: a bar with the time left on a terminal, plain lines elsewhere. Everything goes
// to stderr; results go to stdout.
#pragma once

#include <chrono>
#include <string>

namespace fearnet::cli {

class ProgressDisplay {
  public:
    enum class Style { quiet, lines, bar };
    // A bar when stderr is a terminal, else lines.
    static Style fitting_style();

    explicit ProgressDisplay(Style style);
    // Takes the bar away.
    ~ProgressDisplay();
    ProgressDisplay(const ProgressDisplay&) = delete;
    ProgressDisplay& operator=(const ProgressDisplay&) = delete;

    // Overall progress in 0..1. Redraws the bar at most ten times a second; as lines, says something when
    // nothing was said for ten seconds.
    void update(double fraction, const std::string& what);
    // One line that stays.
    void line(const std::string& text);
    void clear();

  private:
    using Clock = std::chrono::steady_clock;
    std::string time_left(double fraction) const;
    std::string bar(double fraction, const std::string& what) const;

    Style style_;
    bool utf8_;
    bool drawn_ = false;
    Clock::time_point start_;
    Clock::time_point shown_;  // when something was last shown
};

}  // namespace fearnet::cli
